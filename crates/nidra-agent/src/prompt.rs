//! What the agent is told: what it is for, and the four phases of its work. Each part can be replaced by the user's own.

use std::collections::BTreeMap;

/// The parts in their order, each with the text that comes with the program.
const PARTS: [(&str, &str); 5] = [
    ("system", include_str!("../prompts/agent/system.md")),
    ("orient", include_str!("../prompts/agent/orient.md")),
    ("gather", include_str!("../prompts/agent/gather.md")),
    ("consolidate", include_str!("../prompts/agent/consolidate.md")),
    ("prune", include_str!("../prompts/agent/prune.md")),
];

/// The name of the part that says what the agent is for.
const SYSTEM: &str = "system";

/// What the agent is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    own: BTreeMap<&'static str, String>,
}

impl Prompts {
    /// The names of the parts: `system`, then the four phases. A user's own stands in a file `NAME.md`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PARTS.iter().map(|(name, _)| *name)
    }

    /// Replaces a part; an empty text leaves the part out.
    pub fn replace(&mut self, name: &'static str, text: String) {
        self.own.insert(name, text);
    }

    /// A part as it is used.
    fn part<'p>(&'p self, name: &str, embedded: &'p str) -> &'p str {
        self.own.get(name).map_or(embedded, String::as_str).trim()
    }

    /// What the agent is for.
    pub fn system(&self) -> String {
        let texts = PARTS.iter().filter(|(name, _)| *name == SYSTEM);
        texts.map(|(name, text)| self.part(name, text)).collect()
    }

    /// Its work, phase by phase.
    pub fn task(&self) -> String {
        let phases = PARTS.iter().filter(|(name, _)| *name != SYSTEM);
        let phases: Vec<&str> = phases.map(|(name, text)| self.part(name, text)).collect();
        phases.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_ones_own_takes_the_place_of_ours_and_the_others_stay() {
        let ours = Prompts::default();
        assert!(["Orient", "Gather", "Consolidate", "Prune"].iter().all(|phase| ours.task().contains(phase)));
        let mut own = Prompts::default();
        own.replace("gather", "Look at the last session alone.\n".to_owned());
        assert!(own.task().contains("Look at the last session alone.") && !own.task().contains("2. Gather"));
        assert!(own.task().contains("3. Consolidate") && own.system() == ours.system());
    }
}
