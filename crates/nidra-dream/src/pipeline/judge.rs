//! The middle of a dream: what the engine wants, what becomes of each operation, and what that comes to in bytes.

use super::{DreamError, Holding, Mode, Trigger};
use crate::checkout::{self, Bounds};
use crate::consult::{Consulted, consult};
use crate::crowd;
use crate::drift;
use crate::event::{Event, Phase, Sink};
use crate::forget::{self, Forgotten};
use crate::gather::{Gathered, MAX_TRIES, Selection};
use crate::guard;
use crate::promote;
use crate::question;
use crate::recheck;
use crate::recurrence;
use crate::report::{OperationReport, QuestionReport, RunReport, state_of};
use crate::review::{self, Verdict};
use crate::settle::{Decided, Ending};
use crate::standing::{self, Weighed};
use crate::steps::{index_work, numbered, prune};
use crate::tombstone;
use crate::turns::Turns;
use nidra_core::{Conversation, EngineInput, EntryId, Kind, Operation, Outcome, SessionId};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::PlanState;

impl Holding<'_> {
    /// Consolidate and prune: what the engine wants, what the guard and the policy let through, as bytes.
    pub(super) fn judge<'b>(
        &'b self,
        memory: &'b MemoryDirectory,
        gathered: &'b mut Gathered,
        selection: &'b Selection,
        disputed: &[String],
        mut report: RunReport,
        events: Sink<'_>,
    ) -> Result<(Ending<'b>, RunReport), DreamError> {
        let dream = self.dream;
        let view = memory.view();
        report.diagnostics.extend(memory.diagnostics.iter().cloned());

        // 5. Consolidate: the engine says what should change.
        dream.enter(Phase::Consolidate, events)?;
        let input = EngineInput {
            conversations: &gathered.conversations,
            memory: &view,
            now: dream.now,
            watcher: dream.watcher,
        };
        let Consulted { mut outcome, mut failed, postponed } = consult(dream.engine, input)?;
        report.model = dream.engine.account();
        for (session, reason) in self.judge_alone(&mut failed, input, &mut outcome, events)? {
            for known in gathered.sessions.iter_mut().chain(&mut report.sessions) {
                if known.session == session.as_str() {
                    known.reason = Some(reason.clone());
                }
            }
        }
        // What was said is looked up again: a model may think for minutes, and nobody holds the transcripts meanwhile.
        let scope = dream.settings.redact.scope();
        let gone = recheck::take_out_gone(&mut outcome, dream.reader, selection, scope);
        postpone(postponed, gathered, &mut report, events);
        if !gone.is_empty() {
            let gone = gone.into_iter().map(|session| (session, recheck::CHANGED.to_owned()));
            postpone(gone.collect(), gathered, &mut report, events);
            if gathered.conversations.is_empty() {
                return Err(DreamError::Changed);
            }
        }
        self.set_aside(failed, gathered, &mut report, events)?;
        let gathered: &'b Gathered = gathered;
        report.drop_candidates(outcome.dropped);

        // 6. Prune: the guard refuses, the policy asks, the rest becomes bytes within the limits of the index.
        dream.enter(Phase::Prune, events)?;
        let (operations, forgotten) = self.history.split_forgotten(numbered(outcome.operations));
        let operations = crowd::most_telling_first(operations, &view, dream.settings);
        let guarded = guard::check(operations, &view, &gathered.conversations, dream.settings);
        report.refused = forgotten;
        report.refused.extend(guarded.refused);
        let turns = Turns::new(&gathered.conversations, scope);
        let recurrences =
            recurrence::admit(outcome.recurrences.into_iter().chain(guarded.recurrences), &view, &turns);
        report.recur(recurrence::report(&recurrences, &view));
        let mut decided = Decided { base: memory.tree_hash(), recurrences, ..Decided::default() };
        let lost = self.history.lost(memory);
        let fault = |operation: &Operation| {
            self.history
                .buries(operation)
                .or_else(|| tombstone::archive_fault(operation, &lost, dream.now.time_zone()))
                .or_else(|| self.waiting.rejects(operation))
        };
        for (operation, reason) in guarded.deferred {
            match fault(&operation) {
                Some(reason) => report.refuse(&operation, &reason),
                None => self.ask(operation, reason, &mut decided, &mut report),
            }
        }
        let (policy, consent) = (dream.settings.dream.review, dream.consent);
        let rank = |entry: &EntryId| self.history.rank(entry);
        for operation in guarded.accepted {
            let verdict = match fault(&operation) {
                Some(reason) => Verdict::Refuse(reason.into()),
                None => review::judge(&operation, &view, policy, consent, &rank),
            };
            self.sort(operation, verdict, disputed, &mut decided, &mut report);
        }
        // What memory says of the checkout and the checkout does not bear out is the user's to judge, whatever the policy.
        // The word for this run is one for facts of the project; what is theirs, and what they took back, needs another.
        let drift = drift::look(memory, checkout::folder(dream.project), &Bounds::default());
        report.drift = drift.report();
        let astray = drift.proposals(&view, &decided.touched(), &self.offers);
        for operation in astray {
            let kind = operation.change.path().and_then(|path| view.topic(path)).and_then(|topic| topic.kind);
            let theirs = !matches!(kind, Some(Kind::Project | Kind::Reference));
            let verdict = if consent && !theirs && !self.history.was_undone(&operation) {
                Verdict::Apply
            } else {
                Verdict::Propose("the checkout may be behind, too")
            };
            self.sort(operation, verdict, disputed, &mut decided, &mut report);
        }
        // What little speaks for leaves, as far as the policy goes; what was said again just now does not.
        let weighed = standing::weigh(
            &view,
            self.history.sources(),
            self.history.uses(),
            &drift,
            dream.now.timestamp(),
        );
        let others = decided.accepted.len();
        let mut room = guard::archive_room(&view, dream.settings, &decided.accepted);
        for forgotten in self.forgotten(&weighed, &decided) {
            let verdict = review::judge_forgetting(&forgotten, &view, policy, consent, &rank);
            if verdict == Verdict::Apply {
                let Some(left) = room.checked_sub(1) else { continue };
                room = left;
            }
            self.sort(forgotten.operation, verdict, disputed, &mut decided, &mut report);
        }
        // What had to be told again is proposed for the files that people write themselves; nothing else ever comes of it.
        let touched = decided.touched();
        let promoted = promote::proposals(
            &weighed,
            self.history.sources(),
            &self.shelf,
            &dream.settings.propose,
            &touched,
        );
        let (promoted, forgotten) = self.history.split_forgotten(promoted);
        report.refused.extend(forgotten);
        for operation in promoted {
            let verdict = Verdict::Propose("it lies outside the memory directory");
            self.sort(operation, verdict, disputed, &mut decided, &mut report);
        }
        // What leaves makes room for what comes.
        decided.accepted.rotate_left(others);
        if dream.mode != Mode::Plan {
            let links = index_work(memory, &decided.accepted);
            decided.accepted.extend(links);
        }
        prune(dream, memory, self.run, &weighed, &mut decided, &mut report);
        let zone = dream.now.time_zone();
        for question in
            question::questions(&view, self.history.sources(), &self.offers, &decided.touched(), zone)
        {
            let plan = question.kept(dream.engine.name(), &decided.base, dream.now.timestamp());
            report.questions.push(QuestionReport {
                plan: Some(plan.hash.clone()),
                answers: question.answers.iter().map(OperationReport::from).collect(),
            });
            decided.asked.push(plan);
        }
        decided.overtaken = self.waiting.overtaken(&decided, dream.now.timestamp());
        for plan in decided.overtaken.iter().filter(|plan| plan.state == PlanState::Obsolete) {
            events(&Event::Note {
                text: format!(
                    "plan {} no longer waits as it was: newer words say something of what it asked",
                    plan.hash
                ),
            });
        }
        decided.tombstones = tombstone::of(&decided.accepted, self.history.sources());

        report.admit_unjudged();
        // 7. Commit and 8. report follow: one transaction makes the run true; anything before it is taken back at the
        // next start.
        Ok((self.ending(memory, decided, gathered, selection), report))
    }

    /// The entries for which little speaks, apart from those that the run touches and those that were said again.
    fn forgotten(&self, weighed: &[Weighed], decided: &Decided) -> Vec<Forgotten> {
        let mut touched = decided.touched();
        touched.extend(decided.recurrences.iter().map(|recurrence| recurrence.entry.clone()));
        forget::forgotten(
            weighed,
            self.history.sources(),
            &self.dream.settings.forget,
            &self.offers,
            &touched,
            self.dream.now.time_zone(),
        )
    }

    /// Puts an operation where its verdict says.
    fn sort(
        &self,
        operation: Operation,
        verdict: Verdict,
        disputed: &[String],
        decided: &mut Decided,
        report: &mut RunReport,
    ) {
        let is_disputed = |path: &str| disputed.iter().any(|disputed| disputed == path);
        let waits = match verdict {
            Verdict::Apply if operation.change.path().is_some_and(is_disputed) => {
                "somebody else keeps changing its file"
            }
            // What the user took back does not come back by itself; asked for, it does.
            Verdict::Apply
                if self.dream.trigger == Trigger::Automatic && self.history.was_undone(&operation) =>
            {
                "you undid it before"
            }
            Verdict::Apply if self.dream.mode == Mode::Plan => "`nidra plan` applies nothing",
            Verdict::Apply => {
                decided.accepted.push(operation);
                return;
            }
            Verdict::Propose(reason) => reason,
            Verdict::Refuse(reason) => {
                report.refuse(&operation, &reason);
                return;
            }
        };
        self.ask(operation, waits.to_owned(), decided, report);
    }

    /// Lets an operation wait for the user's word, unless it waits already.
    fn ask(&self, operation: Operation, waits: String, decided: &mut Decided, report: &mut RunReport) {
        match self.waiting.holds(&operation) {
            Some(reason) => report.refuse(&operation, &reason),
            None => decided.waiting.push((operation, waits)),
        }
    }

    /// Lets the engine judge alone what it failed on for the last time with the help of others: a session is not lost
    /// because a model cannot cope with it. Says which these are, and why.
    fn judge_alone(
        &self,
        failed: &mut Vec<(SessionId, String)>,
        input: EngineInput<'_>,
        outcome: &mut Outcome,
        events: Sink<'_>,
    ) -> Result<Vec<(SessionId, String)>, DreamError> {
        let dream = self.dream;
        let (mut left, mut without) = (Vec::new(), Vec::new());
        for (session, cause) in std::mem::take(failed) {
            let own = |conversation: &&Conversation| conversation.session.as_ref() == Some(&session);
            let mut alone = None;
            if self.history.failed_again(&session, cause.clone()).tries >= MAX_TRIES {
                let conversations: Vec<Conversation> =
                    input.conversations.iter().filter(own).cloned().collect();
                alone = dream.engine.dream_alone(EngineInput { conversations: &conversations, ..input });
            }
            let Some(judged) = alone else {
                left.push((session, cause));
                continue;
            };
            outcome.extend(judged?);
            let reason = format!("failed {MAX_TRIES} times and is judged by the rules alone: {cause}");
            events(&Event::Note { text: format!("session {session} {reason}") });
            without.push((session, reason));
        }
        *failed = left;
        Ok(without)
    }

    /// Takes the sessions out on which the engine failed; it is an error when none is left.
    fn set_aside(
        &self,
        failed: Vec<(SessionId, String)>,
        gathered: &mut Gathered,
        report: &mut RunReport,
        events: Sink<'_>,
    ) -> Result<(), DreamError> {
        let first = failed.first().map(|(_, cause)| cause.clone());
        let mut said = None;
        for (session, cause) in failed {
            let failure = self.history.failed_again(&session, cause);
            gathered.set_aside(&session, &failure);
            let judged = gathered.sessions.iter().find(|judged| judged.session == session.as_str());
            report.set_aside.extend(judged.cloned());
            // What all of them failed on is said once, at the end where nothing is left.
            let known = said.as_ref() == Some(&failure.cause) || gathered.conversations.is_empty();
            let cause = if known { String::new() } else { format!(": {}", failure.cause) };
            events(&Event::Note {
                text: format!("session {session} is set aside ({}){cause}", state_of(&failure)),
            });
            said = Some(failure.cause);
        }
        // Also those that an earlier attempt of this run left out.
        for known in &mut report.sessions {
            let judged = gathered.sessions.iter().find(|judged| judged.session == known.session);
            if let Some(judged) = judged {
                known.clone_from(judged);
            }
        }
        match first {
            Some(cause) if gathered.conversations.is_empty() => {
                Err(DreamError::NoneJudged { cause, sessions: std::mem::take(&mut report.sessions) })
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Takes the sessions out to which the engine did not come: they wait for another run as if this one had not been.
fn postpone(
    postponed: Vec<(SessionId, String)>,
    gathered: &mut Gathered,
    report: &mut RunReport,
    events: Sink<'_>,
) {
    for (session, reason) in postponed {
        gathered.postpone(&session);
        report.waiting_sessions += 1;
        report.sessions.retain(|known| known.session != session.as_str());
        let known = report.waits_because.as_ref() == Some(&reason);
        let cause = if known { String::new() } else { format!(": {reason}") };
        events(&Event::Note { text: format!("session {session} waits for the next run{cause}") });
        report.waits_because = Some(reason);
    }
}
