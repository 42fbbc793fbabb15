//! A change in a sentence, on one line.

use super::compare::Change;

impl Change {
    /// The change on one line where the two sentences differ in single words, as in `at least 0.95 → 0.98`; else `None`.
    #[must_use]
    pub fn inline(&self) -> Option<String> {
        inline(&self.before.as_ref()?.text, &self.after.as_ref()?.text)
    }
}

fn inline(before: &str, after: &str) -> Option<String> {
    let [before, after]: [Vec<&str>; 2] = [before, after].map(|text| text.split(' ').collect());
    let differ = before.iter().zip(&after).filter(|(was, is)| was != is).count();
    // Where more than a third differs, two sentences are easier to read.
    if before.len() != after.len() || differ * 3 > after.len() {
        return None;
    }
    let words = before.iter().zip(&after).map(|(was, is)| {
        let core = was.trim_end_matches(['.', ',', ';', ':', ')']);
        if was == is { (*is).to_owned() } else { format!("{core} → {is}") }
    });
    Some(words.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_changes_is_shown_in_its_sentence() {
        assert_eq!(
            inline("The overall score is at least 0.95.", "The overall score is at least 0.98.").as_deref(),
            Some("The overall score is at least 0.95 → 0.98.")
        );
        assert_eq!(inline("It is red and round, and large.", "It is red and round."), None);
        assert_eq!(inline("Red as it is.", "Blue and it was."), None);
    }
}
