//! Finds the known name that was meant.

/// Longest name that is compared, in bytes: the time it takes grows with the product of both lengths.
const MAX_BYTES: usize = 256;

/// The known name nearest to `word`, if one is near enough to be a slip of the keyboard.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > MAX_BYTES {
        return None;
    }
    let folded = word.to_lowercase().replace('-', "_");
    known
        .into_iter()
        .filter(|candidate| candidate.len() <= MAX_BYTES)
        .map(|candidate| {
            let similarity =
                strsim::normalized_damerau_levenshtein(&folded, &candidate.to_lowercase().replace('-', "_"));
            (similarity, candidate)
        })
        .filter(|(similarity, _)| *similarity >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_slips_and_leaves_strangers_alone() {
        let known = ["max_iterations", "min_improvement", "timeout"];
        assert_eq!(nearest("max_iteration", known), Some("max_iterations"));
        assert_eq!(nearest("min-improvment", known), Some("min_improvement"));
        assert_eq!(nearest("colour", known), None);
    }
}
