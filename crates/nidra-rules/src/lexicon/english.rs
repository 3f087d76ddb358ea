//! English wordings. Each is a regular expression that is matched without regard to case between word borders.

use super::Cue;

pub(super) const CUES: &[(Cue, &[&str])] = &[
    (Cue::Standing, &[
        "always", "never", "from now on", "from now", "going forward", "from here on", "every ?time", "each time", "at all times",
        "by default", "in general", "as a rule", "under no circumstances?", "no exceptions?", "for good",
        "(?:every|each|before|after|without) (?:single )?(?:push|commit|merge|deploy(?:ment)?s?|release|flash|run|build|test|pr|change|migration|session|restart|upload|import)",
        "stop \\w+ing", "once and for all", "the default", "permanent(?:ly)?", "standing", "on purpose", "off limits", "for everyone", "house (?:rule|style)",
        "not even", "next time", "for the next time", "whenever", "(?:is|are|stays?|remains?) (?:mandatory|forbidden|banned|required|frozen)",
    ]),
    (Cue::Universal, &[
        "every", "each", "all", "any", "anything", "everything", "everywhere", "anywhere", "nothing", "nobody", "everybody", "everyone",
        "only", "per", "none", "any of", "both", "no one", "whole", "in any case", "exclusively", "throughout",
    ]),
    (Cue::Prohibition, &[
        "do(?:es)? ?n[o']?t", "dont", "doesnt", "must ?n[o']?t", "can(?:no|')?t", "cant", "should ?n[o']?t", "shouldnt", "may not", "not allowed", "forbidden", "prohibited", "banned",
        "won'?t", "without (?:asking|an? |review|approval|permission|my|the ok)", "avoid", "refrain", "stay away", "hands off", "keep (?:your|the) hands? off", "off limits", "no \\w+(?:ing|s)?", "nothing (?:goes|changes|gets|is|in)",
        "never", "stop \\w+ing", "not in", "nor", "we don'?t", "not (?:for|from|on|with|via|through)",
    ]),
    (Cue::Obligation, &[
        "must", "ha(?:s|ve) to", "got to", "gotta", "need(?:s)? to", "should", "shall", "required", "requires?", "mandatory", "obligatory",
        "only (?:after|if|when|with|through|via|by|from|on|in|over)", "unless", "not without", "make sure", "ensure", "be sure", "first (?:ask|check|run)",
        "ask me (?:before|first)", "supposed to", "expected to", "at least", "at most", "no more than", "max(?:imum)?", "min(?:imum)?", "hard (?:limit|budget|cap|requirement)",
        "contractual(?:ly)?", "compliance", "until", "please always", "before (?:you|any|every|each)", "stick to", "keep (?:it|the|them|mine|your|to)", "leave \\w+ (?:alone|as)",
    ]),
    (Cue::Explicit, &[
        "new rule", "rule", "rules", "convention", "conventions", "policy", "guideline", "remember", "note that", "for the record", "keep in mind", "bear in mind", "for next time", "for the next time", "fyi", "heads[- ]up",
        "so you know", "good to know", "important", "lesson", "write (?:that|this|it) down", "don'?t forget", "for future reference", "to be clear", "gotcha", "caveat", "careful", "beware", "we agreed", "agreement", "official",
    ]),
    (Cue::Owner, &[
        "owns?", "owned by", "owner", "owners", "belongs? to", "in charge", "responsible", "maintain(?:s|ed by|er)", "sign(?:s)?[- ]?off", "approv(?:es?|al)", "(?:ask|talk to|ping|go to|goes to|reach|contact|check with|order(?:ed)? through|through) (?-i:[A-Z])\\w+",
        "without (?:her|his|their|him|them|me)\\b", "is on call", "team (?-i:[A-Z])\\w+", "(?:is|are) (?:hers|his|theirs|mine)", "(?:her|his|their) (?:review|ok|approval|call|decision|sign|baby|area|code)", "questions? go(?:es)? to", "reports? to", "point of contact",
        "reviewed by", "run by", "looks after", "takes care of", "the (?:lead|owner|boss|dba|admin) is", "drawn by", "made by", "tuned by",
    ]),
    (Cue::Change, &[
        "moved", "move to", "moving to", "migrat(?:ed|ing) (?:to|from|off)", "switch(?:ed|ing)? (?:to|from|off|over)", "replac(?:ed?|es|ing)", "renamed", "changed? (?:to|from)", "(?:is|are) now", "now (?:is|are|it's|lives|runs|on|in|at|uses)", "now\\s*$", "as of", "no longer", "not (?:any ?more|anymore)", "any ?more", "gone", "dead", "deprecated", "retired", "decommissioned", "obsolete", "shut ?down", "sunset", "turned off", "switched off", "instead of", "instead", "used to", "was (?:replaced|moved|deleted|removed|renamed)", "new (?:\\w+ ){1,3}(?:is|are|since)", "since (?:friday|monday|tuesday|wednesday|thursday|saturday|sunday|last|yesterday|this|january|february|march|april|may|june|july|august|september|october|november|december)", "cut over", "cutover", "bumped", "upgraded", "went from", "goes from", "grew", "the old (?:one|\\w+)", "void", "invalid", "outdated", "raised? to", "lowered? to", "set (?:it )?to", "points? to",
        "on the \\w+ now", "at \\S+ now", "has changed", "have changed", "isn'?t \\w+ any",
    ]),
    (Cue::Decision, &[
        "decid(?:e|ed|es)", "decision", "we(?:'ll| will)? go with", "go(?:ing)? with", "let'?s (?:use|go|keep|stick|take|do)", "we(?:'ll| will) (?:use|keep|stay|take|do)", "settled", "final", "it (?:stays|remains)", "stays?", "remains", "staying with", "stick(?:ing)? with", "chosen", "choose", "chose", "pick(?:ed)?", "opt(?:ed)? for", "then we use", "we use", "agreed", "rejected", "abandoned", "not happening", "i decide", "\\w+ (?:it is|then)\\s*[.!]?$", "we keep", "(?:is|are) (?:the )?(?:official|final)", "for schemas?", "cheaper than", "better than", "good enough", "throw(?:ing)? \\S+ out", "throw away", "turn (?:\\S+ ){1,3}off", "switch(?:ing)? (?:\\S+ ){0,3}off", "i allow", "approved",
    ]),
    (Cue::Reason, &[
        "because", "since (?:it|we|they|the|that|you|i|there)", "so that", "otherwise", "or (?:you|we|it|they|else)", "due to", "thanks to", "the reason", "that'?s why", "which is why", "as (?:it|they|we) (?:is|are|was|were|have|had|break|would)", "wrecks?", "breaks?", "broke", "broken by", "fails?", "causes?", "caused", "leads? to", "ruins?", "kills?", "killed", "overwrites?", "wipes?", "leaves? the", "confuses?", "depends? on", "in order to", "so (?:linear|it|the|we|they|you|that)\\b", "needs it", "contractual", "compliance", "forgotten", "costs? (?:us|you|too)", "cheaper", "to avoid", "hangs?", "corrupts?", "loses?", "lost", "deadlocks?", "races?", "can'?t read", "for compliance", "regression", "pain", "hate",
    ]),
    (Cue::History, &[
        "last (?:year|month|week|time|quarter|summer|winter|spring|autumn|fall|release)", "(?:we|i|they|somebody|someone) (?:had|lost|broke|tried|burned|got burned|spent|unlocked|deleted|shipped|learned|wiped)", "years? ago", "months? ago", "weeks? ago", "once", "twice", "back then", "in (?:january|february|march|april|june|july|august|september|october|november|december)", "burned", "bitten", "outage", "incident", "postmortem", "been there", "the hard way", "took (?:us|me) (?:\\w+ )?(?:hours?|days?|weeks?)",
    ]),
    (Cue::Habit, &[
        "we (?:use|do|have|run|write|keep|call|put|store|deploy|ship|follow|name|track|only|never|always|don'?t|run|own|work|go|build|test|log|host|need|support|target|require)", "our", "in this (?:house|repo|project|team|codebase|company|shop)", "around here", "over here", "here we", "i (?:always|never|usually|only)", "the (?:convention|way|format|order|source of truth|default|rule|style) (?:is|here)", "is done (?:by|via|with|through|in)", "are done", "gets? (?:done|built|deployed|released|created|generated|applied|reviewed|merged|published|run|refreshed)", "(?:is|are) (?:created|generated|built|deployed|released|applied|published|stored|pinned|handled|managed|driven|signed|computed|reviewed|run) (?:by|via|with|through|in|from|on|at|using|over)", "everywhere", "it'?s `", "how (?:i|we) (?:release|deploy|work|do|test|ship)", "the way (?:i|we)",
    ]),
    (Cue::Deadline, &[
        "freeze", "frozen", "release", "released?", "launch", "deadline", "expir(?:es?|y|ed|ation)", "due", "until", "till", "no later than", "at the latest", "ship(?:s|ping)? (?:by|on|before)", "go(?:es)? live", "go-?live", "cut ?over", "maintenance", "upgrade", "demo", "audit", "slot", "review (?:is|on)", "in the store", "on prod", "handover", "hand-?in", "submission", "submit", "renewal", "end of (?:life|support)", "eol", "sunset", "effective", "takes effect", "starts?", "begins?", "ends?", "campaign", "fair", "conference", "window", "scheduled", "meeting with", "must be", "has to be", "need(?:s|ed)? (?:to be|it|by)", "before", "by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|end|the|next|june|july|may|march|april)", "vacation", "holiday", "election", "kick-?off", "embargo", "switch(?:es|over)?", "retire[sd]?", "delivery", "certif\\w+",
    ]),
    (Cue::Sequence, &[
        "first", "firstly", "then", "after (?:that|which|this|it)", "afterwards", "finally", "next", "in (?:that|this) order", "step \\d", "before that", "and only then", "wait (?:until|for|till)", "last(?:ly)?", "once (?:it|that|this|they)", "the order", "the dance", "the steps?", "the procedure", "the process", "second",
    ]),
    (Cue::OpenLoop, &[
        "(?:still|stays?|left|leave (?:it|the|that)(?: \\w+)?|keep (?:it|the|that)(?: \\w+)?|is|are|remains?) open", "not (?:done|finished|ready|fixed|merged|proven|solved) yet", "not (?:done|finished|solved|proven)", "unfinished", "unsolved", "still (?:to do|missing|failing|fails|red|broken|loses|pending|unknown|without|needs?|has to|no)", "to ?do", "pending", "blocked", "waiting (?:for|on)", "wait(?:s)? (?:for|until)", "until (?:\\w+ ){1,3}(?:has|have|is|are|reviewed|answers?|replies|comes?|approved|signed)", "once \\w+ (?:has|have|is|are)", "follow[- ]?up", "pick (?:it|this|that) up", "carry (?:it|this|that) over", "carried over", "continue (?:next|tomorrow|on|there|here)", "next time", "we leave it", "leave it (?:there|like|at|for|as)", "where we (?:stopped|left)", "cause (?:is )?unknown", "open (?:question|item|issue|point|loop)", "action item", "look at it (?:next|first|tomorrow|later)", "status for later", "for later", "remaining", "is left", "half done", "do(?: not|n'?t) merge", "parked", "on hold", "not (?:yet|before)", "skip(?:ped)? (?:the|it)?", "somebody else does",
    ]),
    (Cue::Preference, &[
        "i (?:really |rather |just |do not |don'?t |no |never )?(?:prefer|like|love|hate|want|need|expect|care|wish)", "i'?d (?:prefer|like|rather)", "i (?:no |do not |don'?t |never )(?:have|use|do|buy|work|read|speak|review|own|drive)", "i'?m (?:not )?(?:a|an|new to|color|colour|used to|allergic)", "i am (?:not )?(?:a|an|new to|used to)", "my (?:preference|style|voice|role|job|team|editor|setup|machine|laptop|phone|taste|timezone|working hours|name)", "please (?:always|never|use|write|keep|don'?t|no|stop|answer|reply|explain|correct|show|give)", "(?:too|less|more) (?:long|verbose|short|wordy|formal)", "no (?:emoji|emojis|praise|recap|small ?talk|apolog\\w+|idioms?|fluff|filler|comments?)", "(?:short|brief|terse|plain|simple|easy) (?:answers?|words?|sentences?|language|english)", "how i like", "worthless", "annoy(?:s|ing)", "just answer", "i (?:must|have to) (?:search|look|read|google)", "talk to me", "keep mine", "only (?:android|linux|windows|mac|ios)", "show me", "correct (?:my|the) ", "long explanations?", "i decide",
    ]),
    (Cue::Cause, &[
        "it was", "that was (?:it|the|why)", "was the (?:cause|culprit|hog|reason|problem|bug|issue)", "root cause", "the (?:cause|culprit|problem|fix|reason|bug|issue) (?:is|was)", "cause:", "turned out", "turns out", "so (?:it'?s|it was|the)", "is a symptom", "not the", "because", "due to", "only (?:works|succeeds) with", "works (?:with|when|only)", "fails? (?:because|when|with|without|unless)", "without it", "needs? (?:the|to|a)", "also fakes", "the reason", "so the fix", "always fails", "hides?", "explains?", "dies", "is ours?", "bypasses",
    ]),
    (Cue::Praise, &[
        "perfect", "good catch", "great", "nice(?: one| catch| work)?", "excellent", "awesome", "beautiful", "wonderful", "brilliant", "love it", "good job", "well done", "it works", "very good", "that works", "works now", "good to know", "good one", "wow", "works!", "solved", "(?:that|this) is what", "fantastic", "sweet", "cool", "good", "worked", "looks good", "lgtm",
    ]),
    (Cue::Frustration, &[
        "stop", "wtf", "ffs", "jesus", "ugh", "argh", "come on", "seriously", "no no", "nooo+", "i told you", "why (?:did|do|would|are) you", "who told you", "i (?:said|asked)", "for god'?s sake", "hate", "sick of", "tired of", "again", "how often", "how many times", "damn", "hell", "crap", "annoying", "please\\.", "never again", "what the", "why on earth", "you (?:replaced|broke|deleted|ignored)",
    ]),
    (Cue::Repeat, &[
        "again", "how often", "how many times", "once more", "yet another", "same (?:thing|mistake|as)", "still (?:doing|adding)", "i told you", "i said", "as i said", "like i said", "already (?:said|told)", "every time", "keep(?:s)? (?:doing|adding|happening)", "one more",
    ]),
    (Cue::Denial, &[
        "no+", "nope", "nah", "wrong", "not true", "incorrect", "stop", "that'?s (?:not|wrong|incorrect)", "not (?:quite|right|correct|dns|the)", "it'?s not", "isn'?t", "isnt", "don'?t", "is made up", "made up", "you guessed", "who told you", "wrong order", "hm+,? no", "actually,? no", "no no",
    ]),
    (Cue::Agreement, &[
        "yes", "yeah", "yep", "yup", "ok(?:ay)?", "sure", "go", "go ahead", "do (?:it|that|so)", "fine", "agreed", "correct", "right", "exactly", "sounds good", "please do", "good", "works for me", "perfect", "great", "nice", "approved", "confirmed?", "true", "lgtm", "keep", "make it so", "yes please",
    ]),
    (Cue::TakesNote, &[
        "understood", "noted", "got it", "clear", "will do", "you'?re (?:absolutely )?right", "you are right", "sorry", "apolog\\w+", "fair(?: enough)?", "okay", "ok", "i(?:'ll| will) (?:remember|keep|use|follow|not|never|only|stop|leave|always|call|run|read|do)", "i won'?t", "rule dropped", "added", "recorded", "clear\\.", "makes sense", "thanks for", "from now on", "from here", "staying with", "carried over", "correct", "no change", "yes[:.]", "right[.,]",
    ]),
    (Cue::Question, &[
        "what(?:'s| is| are| do| does| did| was| would| about)", "why (?:is|are|do|does|did|the|not|would)", "where(?:'s| is| are| do| does| did)", "when (?:is|are|do|does|did|exactly|will)", "who (?:is|are|does|did|wrote|broke)", "which (?:is|are|one|do|does|would)", "how (?:do|does|did|is|are|can|could|many|much|long|full|big|would|about|come)", "can (?:you|we|i)", "could (?:you|we|i)", "would (?:you|it|that|we)", "should (?:i|we|it)", "is (?:it|there|this|that) ", "are (?:there|we|you)", "do (?:we|you|i) (?:have|need|know|want)", "does (?:it|this|that)", "did (?:you|we|it)", "worth it", "any idea", "same pattern", "what do you think", "numbers",
    ]),
    (Cue::Hypothetical, &[
        "what if", "what about (?:using|moving|switching)", "how about", "suppose", "imagine", "would it (?:be|make|help)", "could we", "we could", "might (?:want|be worth|make)", "maybe (?:we|i|one day|someday|later)", "one day", "someday", "some day", "at some point", "in theory", "theoretically", "hypothetically", "wondering", "i wonder", "thinking (?:about|of|aloud|out loud)", "toying with", "brainstorm\\w*", "idea", "ideas", "dream", "worth it", "would you", "should we", "in the future", "let us see", "let'?s see", "idk", "curious", "crazy idea", "if (?:we|i) (?:moved|used|switched|had|made|went|did|could|dropped|rewrote|put)", "i was thinking", "would be (?:nice|cool|faster|better|great|fun)", "we might", "i might",
    ]),
    (Cue::Dismissal, &[
        "(?:just|only) (?:thinking|kidding|joking|curious|brainstorming|asking|wondering|an idea|a thought|a joke|musing)", "thinking (?:aloud|out loud)", "never ?mind", "nvm", "forget (?:it|that|about it|what i said|the idea)", "scrap (?:that|it|this|the \\w+(?: \\w+)? (?:rule|idea|plan|thing))", "scratch that", "ignore (?:that|what i said|my last|me)", "disregard", "not happening", "not now", "joke", "joking", "kidding", "jk", "i take (?:it|that) back", "strike that", "take that back", "undo that", "on second thought", "actually,? no", "belay that", "cancel that", "drop (?:it|that|the idea)", "leave it be", "don'?t bother", "abandoned", "not worth it", "beer idea", "i am not going back", "was wrong to", "my fault", "my bad", "my mistake", "rule dropped", "no adr", "agreed,? no", "i changed my mind", "changed my mind", "actually (?:don'?t|not|leave|keep)", "not going to happen", "wait,? no", "hmm+,? no", "hm,? no",
    ]),
    (Cue::Removal, &[
        "scrap(?:ped)?", "scratch", "drop(?:ped)?", "get rid of", "rid of", "throw(?:n|ing)? (?:\\S+ ){0,4}?(?:out|away)", "threw", "forget (?:the|about)", "remove", "removed", "delete", "deleted", "kick(?:ed)? out", "rip (?:\\S+ )?out", "no longer", "not any ?more", "any ?more", "anymore", "dead", "gone", "obsolete", "deprecated", "retired?", "abandon(?:ed)?", "ditch(?:ed)?", "stop using", "died", "switched off", "turned off", "shut down", "is off", "void", "unmaintained", "not maintain(?:ed)?", "does not maintain", "doesn'?t maintain", "do not want", "don'?t want", "forget it", "was only", "was just", "move(?:d)? (?:from|off)", "moved", "moving off", "migrated? (?:off|from|away)", "instead of", "no (?:have|more)", "not \\w+ again", "don'?t need", "dont need", "clash", "replaced?", "is (?:wrong|dead|gone)", "overwrites",
    ]),
    (Cue::Task, &[
        "add", "fix", "make (?:it|the|a|this|that|them|me)", "run", "rerun", "re-?run", "write", "check", "look", "find", "move", "rename", "commit", "amend", "push", "pull", "revert", "try", "show", "give", "list", "draw", "change", "delete", "remove", "port", "bump", "set", "put", "create", "build", "deploy", "install", "update", "upgrade", "implement", "refactor", "clean", "open", "close", "merge", "rebase", "start", "stop", "restart", "test", "debug", "explain", "search", "read", "tell", "send", "generate", "convert", "restore", "continue", "go", "do", "let me", "let's see", "lets see", "need (?:a|an|the|some|newlib)", "can you", "could you", "please", "i need", "i want (?:to|today|you)", "next[.:,]", "tag", "flash", "erase", "export", "import", "investigate", "see", "use", "write (?:me|it|that|the)", "report that", "ignore", "wire", "bisect", "dump", "print", "fetch", "review", "get", "turn", "drop", "skip", "leave", "reprovision", "measure", "batch", "rehearse", "apply", "replace", "translate", "summari[sz]e", "plan", "prepare", "sketch", "ship",
    ]),
    (Cue::Ephemeral, &[
        "today", "tonight", "this (?:morning|afternoon|evening|time|once|minute|second)", "you (?:don'?t|do not) need to", "no need to", "one time thing", "once only", "right now", "at the moment", "for now", "for the moment", "temporar(?:y|ily)", "just (?:this|once|for)", "one[- ]off", "only (?:today|this time|locally|once)", "currently", "quick", "meanwhile", "in the meantime", "while (?:idle|you are at it|you'?re at it)", "in a (?:minute|second|bit)", "until (?:lunch|tonight|later|3pm|\\d+ ?pm)", "after \\d+ ?pm", "back to \\d", "at noon", "night fix", "since noon", "is out till", "again since", "on my desk", "is down", "for the demo this", "locally", "only small things",
    ]),
    (Cue::Chat, &[
        "hello", "hi", "hey", "good (?:morning|evening|night|day|afternoon)", "morning", "bye", "see you", "goodbye", "good ?night", "lunch", "coffee", "dinner", "weekend", "sleep", "bed", "going home", "i (?:stop|go) (?:now|to)", "enough for today", "finish for today", "done for today", "thanks", "thank you", "cheers", "lol", "haha+", "ha", "kid", "wife", "fever", "rains?", "tired", "beer", "barbecue", "welcome", "sorry the", "have a (?:nice|good)", "happy", "birthday", "ok lunch", "out\\.$", "evening shift", "fumes", "like an idiot", "my god", "what a time", "teacher", "in the bus", "one sec", "brb", "back", "typed", "moving on",
    ]),
    (Cue::Reported, &[
        "(?-i:[A-Z])\\w+ (?:said|says|wrote|writes|thinks|suggested|suggests|asked|claims|claimed|told me|commented|posted|proposes|recommends|wants|likes)", "\\w+ (?:suggested|claims|commented|proposes|told me|thinks we|says we|says that|said that|said we|wants us)", "according to", "(?:he|she|they|somebody|someone|people|reviewer|customer|client|marketing|pm|colleague) (?:said|says|wrote|writes|think|thinks|suggested|want|wants|asked|keeps? saying)", "from (?:a|the) (?:\\w+ )?(?:pm|customer|colleague|review)", "in slack", "message (?:of|from)", "wrote (?:this|a|in)", "commented", "quote", "review in",
    ]),
    (Cue::Speculation, &[
        "hold on", "let me see", "maybe", "probably", "perhaps", "possibly", "might", "could be", "may be", "i think", "i guess", "i assume", "i'?d (?:guess|lean|say|expect|try|first)", "seems?", "looks like", "likely", "most likely", "suspect(?:ed)?", "presumably", "apparently", "not sure", "unsure", "possible", "candidates?", "plausible", "theory", "usually means", "typical(?:ly)?", "that is a good default", "common value", "would", "could", "let me check", "i'?ll try", "rough estimate", "assum(?:e|ing)", "guess(?:ed)?", "somewhere around",
    ]),
    (Cue::Narration, &[
        "i(?:'ll| will|'m| am|'d| would|'ve| have| had| can| could| should| need| want| look| guessed| stated| printed| amend| change| set| do| use| see| keep| mark| won'?t| don'?t| did| ran| got| was| found| added| fixed| checked| reverted| updated)", "let me", "let's", "sorry", "apolog\\w+", "my (?:mistake|fault|bad)", "should i", "shall i", "do you want", "would you like", "here'?s", "here is", "here are", "done[.:]", "pushed", "reverted", "plan:", "draft", "proposed", "proposal", "waiting for go", "starting", "applying", "adding", "porting", "checking", "looking",
    ]),
    (Cue::Shift, &[
        "also", "and also", "next", "next thing", "another (?:thing|one)", "other (?:thing|batch)", "btw", "by the way", "besides", "one more(?: thing)?", "separately", "unrelated", "now", "ok now", "oh and", "and the important", "and about", "and change", "and we", "\\d[.)]", "while (?:idle|you are at it)", "first[:,]", "second[:,]", "and (?:dont|don't|never|please|make|the)",
    ]),
    (Cue::Offer, &[
        "options?", "alternatives?", "candidates?", "i'?d (?:lean|recommend|suggest|go|set|use|add|replace|put|run|bump|raise|first)", "i (?:recommend|suggest|propose|would)", "recommend(?:ed|ation)?", "suggest(?:ion)?", "should i", "shall i", "do you want", "would you like", "proposal", "proposed", "i could", "i can", "two ways", "either", "plan", "which (?:one|would)", "i'?ll (?:set|use|add|assume|run|call|try|raise|restructure|release|apply|retry|bump)", "prefer",
    ]),
    (Cue::Place, &[
        "goes? (?:in(?:to)?|to|on|through|via|over)", "(?:lives?|sits?|stands?|stored|kept|located|hosted|pinned|runs?|listens?|hangs?) (?:in|on|at|under|behind|from)", "comes? from", "(?:is|are) (?:in|on|at|under|behind|called|named|known as|located|here|https?)", "points? (?:at|to)", "(?:url|link|address|host|dashboard|port|channel|key|vault|item|path|ticket|tracker|repo|board|bucket|queue|topic|namespace|region|schema|prefix|branch) (?:is|are|name|names|key|:)", "branch names?", "team key", "found (?:in|at|under)", "in (?:1password|vault|confluence|notion|jira|linear)", "mapping", "look there", "dashboard is", "reach them", "look (?:in|at) \\S+/",
    ]),
    (Cue::Problem, &[
        "hangs?", "crash(?:es|ed|ing)?", "fail(?:s|ed|ing)?", "broken", "errors?", "slow", "panics?", "doesn'?t (?:start|work|load|come|show|respond)", "does not (?:start|work|load|come|show|respond)", "not working", "finds nothing", "returns? \\d{3}", "went over", "problem", "bug", "is red", "red on", "disappeared", "lost", "killed", "oomkilled", "drift", "off by", "(?:we|i) need (?:an?|some|to)", "need (?:an?|some)", "is ugly", "jumps?", "wrong (?:time|place|value)", "timeouts?", "took ages", "flaky", "stuck", "paged",
    ]),
];
