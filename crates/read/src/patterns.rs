//! Patterns of names, such as `reports/**/*.txt`, where a shell has not filled them in.

use globset::{GlobBuilder, GlobMatcher};
use std::path::{Component, Path, PathBuf};

/// Returns whether a name has a character that means something in patterns.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// A pattern, taken apart: the folder that its first parts name, and what is matched against paths in it.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    /// The folder in which names are looked for; empty for the working directory.
    base: PathBuf,
    whole: GlobMatcher,
    /// One for each part before the first `**`.
    levels: Vec<GlobMatcher>,
    /// `true` if `**` follows these.
    is_deep: bool,
    names_ending: bool,
}

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// The problem with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut base = PathBuf::new();
        let mut parts: Vec<String> = Vec::new();
        for component in Path::new(text).components() {
            let part = component.as_os_str().to_string_lossy();
            let is_literal = parts.is_empty() && !is_pattern(&part);
            match component {
                _ if is_literal => base.push(component),
                Component::Normal(_) => parts.push(part.into_owned()),
                _ => return Err("`..` after a part with `*` or `?` names no folder".to_owned()),
            }
        }
        let shallow = parts.iter().take_while(|part| *part != "**");
        let levels = shallow.map(|part| matcher(part)).collect::<Result<Vec<_>, _>>()?;
        let last = parts.last().map_or("", String::as_str);
        Ok(PathPattern {
            base,
            whole: matcher(&parts.join("/"))?,
            is_deep: levels.len() < parts.len(),
            levels,
            names_ending: last
                .rsplit_once('.')
                .is_some_and(|(_, ending)| !ending.trim_matches('*').is_empty()),
        })
    }

    pub(super) fn base(&self) -> &Path {
        &self.base
    }

    /// Returns whether a path in the base folder is one that is meant.
    pub(super) fn is_match(&self, relative: &Path) -> bool {
        self.whole.is_match(relative)
    }

    /// Returns whether something in this folder may be meant.
    pub(super) fn may_hold(&self, folder: &Path) -> bool {
        let parts: Vec<Component<'_>> = folder.components().collect();
        (self.is_deep || parts.len() < self.levels.len())
            && parts.iter().zip(&self.levels).all(|(part, level)| level.is_match(part.as_os_str()))
    }

    /// Returns whether it says how names end. If it does not, the usual endings of documents are meant.
    pub(super) fn names_ending(&self) -> bool {
        self.names_ending
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::parse(text).unwrap()
    }

    #[test]
    fn a_pattern_begins_in_the_folder_that_it_names() {
        for (text, base) in [
            ("reports/2024/**/*.txt", "reports/2024"),
            ("*.txt", ""),
            ("/data/*/x.txt", "/data"),
            ("../[ab]/x", ".."),
            ("./**", "."),
        ] {
            assert_eq!(pattern(text).base(), Path::new(base), "{text}");
        }
    }

    #[test]
    fn stars_stay_within_a_name_and_two_stand_for_any_folders() {
        let matches = |text: &str, path: &str| pattern(text).is_match(Path::new(path));
        assert!(matches("*.txt", "a.txt") && !matches("*.txt", "a/b.txt"));
        assert!(matches("**/*.txt", "a.txt") && matches("**/*.txt", "a/b/c.txt"));
        assert!(matches("*/report.txt", "7/report.txt") && !matches("*/report.txt", "7/8/report.txt"));
        assert!(matches("*.{md,txt}", "a.md") && matches("[ab]?.txt", "bx.txt"));
    }

    #[test]
    fn only_folders_that_may_hold_something_are_entered() {
        let may_hold = |text: &str, folder: &str| pattern(text).may_hold(Path::new(folder));
        assert!(may_hold("*/x.txt", "a") && !may_hold("*/x.txt", "a/b"));
        assert!(may_hold("a*/**/x", "ab/c/d") && !may_hold("a*/**/x", "b"));
        assert!(!may_hold("*.txt", "a") && may_hold("**", "a/b"));
    }

    #[test]
    fn an_ending_is_named_or_not() {
        for text in ["*.log", "**/report.tx?", "*.{txt,log}"] {
            assert!(pattern(text).names_ending(), "{text}");
        }
        for text in ["*", "reports/**", "*.*", "v1.2/*"] {
            assert!(!pattern(text).names_ending(), "{text}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        for text in ["a[", "{a,b", "*/../x"] {
            assert!(PathPattern::parse(text).is_err(), "{text}");
        }
    }
}
