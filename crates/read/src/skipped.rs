//! The entries that a listing left out, by reason: nothing is left out without a count.

use crate::value::sanitize_line;
use std::collections::BTreeMap;
use std::path::Path;

/// The most different endings that are counted one by one.
const MOST_ENDINGS: usize = 100;

/// The longest ending that is named, in characters: a longer one is not an ending but part of a name.
const LONGEST_ENDING: usize = 10;

/// The most endings that are named in a line.
const MOST_NAMED: usize = 4;

/// The reason why something in a folder is not taken as a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot.
    Hidden,
    /// A pipe, device or socket, or a file in which the kernel shows the state of processes.
    Special,
    /// A link that leads to nothing.
    Dangling,
    /// A link that leads out of the folder that was named.
    Outside,
    /// A folder with nothing in it.
    EmptyFolder,
    /// A recorded answer of a model.
    Recording,
    /// A folder with the results of a run.
    Results,
    /// A folder that is deeper than folders are read.
    TooDeep,
    /// A folder that was read already, to which another name or a link leads.
    FolderAgain,
    /// A document that was taken already.
    Again,
    /// A file that judges compare documents with.
    Reference,
}

impl SkipReason {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            SkipReason::Hidden => ("hidden file or folder", "hidden files or folders"),
            SkipReason::Special => {
                ("pipe, device or other special file", "pipes, devices or other special files")
            }
            SkipReason::Dangling => ("dangling link", "dangling links"),
            SkipReason::Outside => {
                ("link that leads out of its folder", "links that lead out of their folder")
            }
            SkipReason::EmptyFolder => ("empty folder", "empty folders"),
            SkipReason::Recording => ("recorded answer", "recorded answers"),
            SkipReason::Results => ("folder of results", "folders of results"),
            SkipReason::TooDeep => ("folder too deep", "folders too deep"),
            SkipReason::FolderAgain => ("folder that was read already", "folders that were read already"),
            SkipReason::Again => ("document named twice", "documents named twice"),
            SkipReason::Reference => ("reference of a judge", "references of judges"),
        }
    }
}

/// The numbers of entries that were left out, by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    reasons: BTreeMap<SkipReason, u64>,
    endings: BTreeMap<String, u64>,
    /// The number of all files with other endings.
    files: u64,
}

impl Skipped {
    /// Counts one.
    pub fn count(&mut self, reason: SkipReason) {
        *self.reasons.entry(reason).or_default() += 1;
    }

    /// Counts a file with an ending that documents do not have.
    pub fn count_ending(&mut self, name: &Path) {
        self.files += 1;
        let ending = name.extension().map(|ending| sanitize_line(&ending.to_string_lossy().to_lowercase()));
        let ending = match ending {
            Some(ending) if ending.chars().count() <= LONGEST_ENDING => format!(".{ending}"),
            Some(_) => return,
            None => "no ending".to_owned(),
        };
        if let Some(count) = self.endings.get_mut(&ending) {
            *count += 1;
        } else if self.endings.len() < MOST_ENDINGS {
            self.endings.insert(ending, 1);
        }
    }

    /// The number of entries that were left out for this reason.
    #[must_use]
    pub fn of(&self, reason: SkipReason) -> u64 {
        self.reasons.get(&reason).copied().unwrap_or_default()
    }

    /// The number of files with endings that documents do not have.
    #[must_use]
    pub fn with_other_endings(&self) -> u64 {
        self.files
    }

    /// The number of all entries that were left out.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.files + self.reasons.values().sum::<u64>()
    }

    /// One line for people: `left out: 12 files with other endings (.pdf 10, .docx 2), 1 dangling link`. `None` if nothing was.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let mut parts = Vec::new();
        if self.files > 0 {
            let mut endings: Vec<_> = self.endings.iter().collect();
            endings.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            let named: Vec<String> =
                endings.iter().take(MOST_NAMED).map(|(ending, count)| format!("{ending} {count}")).collect();
            let said: u64 = endings.iter().take(MOST_NAMED).map(|(_, count)| **count).sum();
            let more =
                if said < self.files { format!(", others {}", self.files - said) } else { String::new() };
            let files = if self.files == 1 { "file with another ending" } else { "files with other endings" };
            let detail =
                if named.is_empty() { String::new() } else { format!(" ({}{more})", named.join(", ")) };
            parts.push(format!("{} {files}{detail}", self.files));
        }
        for (reason, count) in &self.reasons {
            let (one, several) = reason.words();
            parts.push(format!("{count} {}", if *count == 1 { one } else { several }));
        }
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_said_in_one_line() {
        let mut skipped = Skipped::default();
        assert_eq!((skipped.line(), skipped.total()), (None, 0));
        for (name, count) in [("a.pdf", 10), ("b.DOCX", 2), ("Makefile", 1)] {
            (0..count).for_each(|_| skipped.count_ending(Path::new(name)));
        }
        skipped.count(SkipReason::Dangling);
        (0..2).for_each(|_| skipped.count(SkipReason::Hidden));
        assert_eq!(
            skipped.line().unwrap(),
            "left out: 13 files with other endings (.pdf 10, .docx 2, no ending 1), 2 hidden files or folders, 1 dangling link"
        );
        assert_eq!(skipped.total(), 16);
    }

    #[test]
    fn endings_without_end_and_wild_ones_are_bounded() {
        let mut skipped = Skipped::default();
        for number in 0..1_000 {
            skipped.count_ending(Path::new(&format!("x.{number}")));
        }
        skipped.count_ending(Path::new("report.2024-03-01 final version"));
        skipped.count_ending(Path::new("x.\u{1b}[31m"));
        assert_eq!((skipped.endings.len(), skipped.with_other_endings()), (MOST_ENDINGS, 1_002));
        assert!(!skipped.line().unwrap().contains('\x1b'));
    }
}
