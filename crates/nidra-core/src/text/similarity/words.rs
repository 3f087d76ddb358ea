//! The word lists and endings behind the similarity measure.
//!
//! The lists are short on purpose: what is not listed counts, and a wrong stop word would hide a fact.

/// English words without content. Negations are not among them.
const STOP: &[&str] = &[
    "a", "about", "also", "am", "an", "and", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "for", "from", "had", "has", "have", "he", "her", "here", "him",
    "his", "i", "if", "in", "into", "is", "it", "its", "just", "let", "me", "my", "of", "on", "or", "our",
    "ours", "please", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "too", "us", "very", "was", "we", "were", "what",
    "which", "while", "who", "will", "with", "would", "you", "your",
];

/// English words of any talk about code, as stems.
const COMMON: &[&str] = &[
    "add", "all", "always", "any", "app", "call", "chang", "code", "file", "fix", "get", "go", "good", "how",
    "it", "like", "make", "need", "new", "now", "one", "only", "project", "put", "repo", "run", "see", "set",
    "sure", "thing", "use", "user", "want", "way", "when", "where", "work",
];

/// Chinese words without content; longer ones first.
const HAN_STOP: &[&str] = &[
    "的时候",
    "我们",
    "你们",
    "他们",
    "它们",
    "这个",
    "那个",
    "这些",
    "那些",
    "一个",
    "一下",
    "一些",
    "什么",
    "怎么",
    "因为",
    "所以",
    "但是",
    "如果",
    "可以",
    "应该",
    "就是",
    "还是",
    "已经",
    "然后",
    "以及",
    "或者",
    "而且",
    "其实",
    "的",
    "了",
    "吗",
    "呢",
    "吧",
    "啊",
    "呀",
    "嘛",
    "我",
    "你",
    "请",
    "是",
    "在",
];

/// Words whose first or last character looks like a stop word.
const HAN_KEEP: &[&str] =
    &["目的", "了解", "为了", "存在", "在线", "自我", "申请", "请求", "是否", "请假", "正在"];

/// Pairs of Chinese characters of any talk about code.
const HAN_COMMON: &[&str] =
    &["使用", "需要", "现在", "项目", "代码", "文件", "问题", "修改", "添加", "一直", "不要"];

/// Traditional characters and their simplified forms, the frequent ones of talk about software.
const FOLDED: (&str, &str) = (
    "資訊庫檔據碼網絡錄區隊測試誤們說請這個為與時間開關應該後務處發佈環設計測驗證錯訊號類數組標記變更換導入輸\
     讀寫態單雙載頁邏輯執構創實現優異軟體門問題題關鍵過還進運連線選擇項團員鏡參歷點樣結編譯語內層級統紀緒給從當\
     對無尋術業專樹機預覽權歸憶學習應導廣動務側顯會議週報華國東車馬長風飛電書買賣來辦價億傳備緩衝壓縮圖聲響聽覺",
    "资讯库档据码网络录区队测试误们说请这个为与时间开关应该后务处发布环设计测验证错讯号类数组标记变更换导入输\
     读写态单双载页逻辑执构创实现优异软体门问题题关键过还进运连线选择项团员镜参历点样结编译语内层级统纪绪给从当\
     对无寻术业专树机预览权归忆学习应导广动务侧显会议周报华国东车马长风飞电书买卖来办价亿传备缓冲压缩图声响听觉",
);

/// The simplified form of a character.
pub(super) fn simplified(c: char) -> char {
    static TABLE: std::sync::LazyLock<std::collections::HashMap<char, char>> =
        std::sync::LazyLock::new(|| FOLDED.0.chars().zip(FOLDED.1.chars()).collect());
    if c < '\u{4e00}' { c } else { TABLE.get(&c).copied().unwrap_or(c) }
}

/// Whether the word says nothing.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Whether the stem stands in any talk about code.
pub(super) fn is_common(stem: &str) -> bool {
    COMMON.binary_search(&stem).is_ok()
}

/// Whether the pair stands in any talk about code.
pub(super) fn is_common_pair(pair: &str) -> bool {
    HAN_COMMON.contains(&pair)
}

/// How many characters at the start of the run are a word without content.
pub(super) fn stop_length(run: &[char]) -> usize {
    let starts = |word: &str| word.chars().enumerate().all(|(at, c)| run.get(at) == Some(&c));
    if HAN_KEEP.iter().any(|word| starts(word)) {
        return 0;
    }
    HAN_STOP.iter().find(|word| starts(word)).map_or(0, |word| word.chars().count())
}

/// The term of a negation: all of them are one.
pub(super) fn negation(word: &str) -> Option<&'static str> {
    let negates = word.ends_with("n't") || matches!(word, "not" | "never" | "cannot" | "dont" | "without");
    negates.then_some("not")
}

/// Words that the rules below would get wrong.
const IRREGULAR: &[(&str, &str)] = &[
    ("used", "use"),
    ("uses", "use"),
    ("using", "use"),
    ("embed", "embed"),
    ("embeds", "embed"),
    ("ran", "run"),
    ("made", "make"),
    ("chose", "choos"),
    ("chosen", "choos"),
    ("built", "build"),
    ("wrote", "writ"),
    ("written", "writ"),
    ("was", "was"),
    ("has", "has"),
    ("does", "does"),
];

/// A word without its English ending: plural, `-ing`, `-ed`.
pub(super) fn stem(word: &str) -> String {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.len() < 3 {
        return word.to_owned();
    }
    if let Some((_, stem)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == word) {
        return (*stem).to_owned();
    }
    let singular = plural(word);
    let vowel = |text: &str| text.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    if let Some(root) = singular.strip_suffix("ied").filter(|root| root.len() >= 2) {
        return format!("{root}y");
    }
    let root = singular.strip_suffix("ing").filter(|root| root.len() >= 3 && vowel(root)).or_else(|| {
        singular.strip_suffix("ed").filter(|root| root.len() >= 3 && !root.ends_with('e') && vowel(root))
    });
    match root {
        Some(root) => undouble(root).to_owned(),
        None if singular.len() > 4 => singular.strip_suffix('e').unwrap_or(&singular).to_owned(),
        None => singular,
    }
}

/// The singular of a plural.
fn plural(word: &str) -> String {
    if let Some(root) = word.strip_suffix("ies").filter(|root| root.len() >= 2) {
        return format!("{root}y");
    }
    let hissing = ["sses", "ches", "shes", "xes", "zzes"].iter().any(|ending| word.ends_with(ending));
    if hissing {
        return word[..word.len() - 2].to_owned();
    }
    let plain = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

/// A root without the consonant that its ending doubled, and without a silent `e`.
fn undouble(root: &str) -> &str {
    let bytes = root.as_bytes();
    match bytes {
        [.., before, last]
            if before == last && !matches!(last, b'a' | b'e' | b'i' | b'o' | b'u' | b'l' | b's' | b'z') =>
        {
            &root[..root.len() - 1]
        }
        _ => root,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_and_in_step() {
        assert!(STOP.is_sorted() && COMMON.is_sorted());
        assert_eq!(FOLDED.0.chars().count(), FOLDED.1.chars().count());
        assert_eq!(simplified('資'), '资');
        assert_eq!(simplified('週'), '周');
        assert_eq!(simplified('覺'), '觉');
    }
}
