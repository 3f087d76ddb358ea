//! The document of the promises, as a value: what is promised, and which tests hold it.

/// The document.
pub(crate) const PATH: &str = "docs/guarantees.md";

/// How the paragraph with the tests of a promise begins.
const TESTS: &str = "Tests: ";

/// A promise and the tests that hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Promise {
    /// Its heading.
    pub(crate) title: String,
    /// The names of the tests, without their modules.
    pub(crate) tests: Vec<String>,
}

/// Reads the promises: each heading of the second level with a paragraph of tests below it, or without one where
/// the text has forgotten it. Headings in a part that promises nothing begin with a word in brackets.
pub(crate) fn parse(text: &str) -> Vec<Promise> {
    let mut promises: Vec<Promise> = Vec::new();
    let mut listing = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            promises.push(Promise { title: title.trim().to_owned(), tests: Vec::new() });
            listing = false;
            continue;
        }
        listing = (listing || line.starts_with(TESTS)) && !line.trim().is_empty();
        if let Some(promise) = promises.last_mut().filter(|_| listing) {
            // Every second piece between backticks is code.
            promise.tests.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    promises.retain(|promise| !promise.title.starts_with('('));
    promises
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_have_their_tests() {
        let text = "# Title\n\nTests: `of_nothing`\n\n## One\n\nWords with `code`.\n\nTests: `a_b`,\n`c`.\n\n\
                    More `code`.\n\n## (Limits)\n\nTests: `x`\n\n## Two\n\nNo tests.\n";
        let promise = |title: &str, tests: &[&str]| Promise {
            title: title.to_owned(),
            tests: tests.iter().map(|&name| name.to_owned()).collect(),
        };
        assert_eq!(parse(text), [promise("One", &["a_b", "c"]), promise("Two", &[])]);
    }
}
