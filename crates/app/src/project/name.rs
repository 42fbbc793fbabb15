//! Names of profiles, rules, document types and fields.

use super::change::Refusal;
use crate::value::to_kebab;

/// Longest name. It becomes part of names of files.
const MOST_NAME: usize = 60;

/// Names that no file can have on Windows.
const DEVICES: [&str; 4] = ["aux", "con", "nul", "prn"];

/// Words that YAML does not read as text.
const NOT_TEXT: [&str; 3] = ["false", "null", "true"];

/// Refuses a name that files, rules and types can't have: what is left is small letters, digits and single dashes.
pub(super) fn kebab(what: &str, name: &str) -> Result<(), Refusal> {
    let shown: String = name.chars().take(MOST_NAME).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if DEVICES.contains(&name) || NOT_TEXT.contains(&name) {
        return Err(
            Refusal::new(format!("`{shown}` can't be the name of a {what}")).help("choose another name")
        );
    }
    let fits =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if name.len() <= MOST_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(fits)
    {
        return Ok(());
    }
    let rule =
        format!("use small letters, digits and dashes, beginning with a letter, at most {MOST_NAME} of them");
    let near: String = to_kebab(name).chars().take(MOST_NAME).collect();
    let near = near
        .trim_matches(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
        .trim_start_matches(|c: char| !c.is_ascii_lowercase());
    let help = if near.is_empty() || kebab(what, near).is_err() {
        rule
    } else {
        format!("{rule}, such as `{near}`")
    };
    Err(Refusal::new(format!("`{shown}` can't be the name of a {what}")).help(help))
}

/// Refuses an invalid name of a field.
pub(super) fn field(name: &str) -> Result<(), Refusal> {
    let fits = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= MOST_NAME
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let shown: String = name.chars().take(MOST_NAME).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let refused = Refusal::new(format!("`{shown}` can't be the name of a field"));
    if name.ends_with("_status") {
        Err(refused.help("`<field>_status` says that a field is absent; loopctl adds it by itself"))
    } else if !fits || NOT_TEXT.contains(&name) {
        Err(refused
            .help("use letters, digits and `_`, beginning with a letter, such as `dueDate` or `due_date`"))
    } else {
        Ok(())
    }
}

/// A name in words: `due-date`, `dueDate` and `due_date` are `due date`.
pub(super) fn words(name: &str) -> String {
    let mut words = String::new();
    let mut after_small = false;
    for c in name.chars() {
        if matches!(c, '-' | '_') {
            words.push(' ');
        } else {
            if c.is_ascii_uppercase() && after_small {
                words.push(' ');
            }
            words.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase();
    }
    words
}

/// Like [`words`], with a capital first letter.
pub(super) fn title(name: &str) -> String {
    let words = words(name);
    let mut letters = words.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_files_everywhere() {
        for good in ["a", "lab-report", "letters2"] {
            assert!(kebab("profile", good).is_ok(), "{good}");
        }
        let long = "a".repeat(MOST_NAME + 1);
        for bad in
            ["", "A", "1a", "-a", "a-", "a--b", "a_b", "a b", "..", "../a", "a/b", "é", "con", "null", &long]
        {
            assert!(kebab("profile", bad).is_err(), "{bad}");
        }
        let help = |name| kebab("rule", name).unwrap_err().help.unwrap();
        assert!(help("Lab Report").ends_with("such as `lab-report`"));
        assert!(help("Überweisung").ends_with("such as `ueberweisung`"));
        assert!(help("../a").ends_with("such as `a`"));
        assert!(!help("1").contains("such as"));
    }

    #[test]
    fn fields_and_their_words() {
        for good in ["reason", "dueDate", "due_date", "ER2"] {
            assert!(field(good).is_ok(), "{good}");
        }
        for bad in ["", "a-b", "1a", "a b", "reason_status", "null", "a.b"] {
            assert!(field(bad).is_err(), "{bad}");
        }
        assert_eq!(
            [words("due-date"), words("dueDate"), title("due_date")],
            ["due date", "due date", "Due date"]
        );
    }
}
