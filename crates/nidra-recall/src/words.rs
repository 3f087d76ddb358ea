//! Words that say nothing of what a text is about.

/// Stop words of English, ordered. Negations and numbers are not among them.
const ENGLISH: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "being", "but", "by", "can", "could", "did", "do", "does", "doesn", "doing", "don",
    "during", "each", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
    "him", "his", "how", "i", "if", "in", "into", "is", "isn", "it", "its", "itself", "just", "me", "more",
    "most", "my", "myself", "of", "off", "on", "once", "or", "other", "our", "ours", "out", "over", "own",
    "s", "same", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with",
    "would", "you", "your", "yours",
];

/// Whether a word in lower case says nothing of the matter.
pub(crate) fn is_stop_word(lower: &str) -> bool {
    lower.len() <= 8 && ENGLISH.binary_search(&lower).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered() {
        assert!(ENGLISH.is_sorted());
        assert!(ENGLISH.iter().all(|word| word.len() <= 8));
    }
}
