//! Texts in the cells of a table.
//!
//! A cell that begins with one of some signs is a formula to a spreadsheet, no matter who wrote it: a document could
//! have one run on the machine of its reviewer. Such a text gets an apostrophe in front, which is removed on reading.

/// Characters that begin a formula. The apostrophe is among them, so that a text that begins with one comes back whole.
const BEGINS_FORMULA: [char; 12] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n', '\''];

/// A text as it is written in a cell.
pub(super) fn guarded(text: &str) -> String {
    if text.starts_with(BEGINS_FORMULA) { format!("'{text}") } else { text.to_owned() }
}

/// The text that a cell represents.
pub(super) fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|rest| rest.starts_with(BEGINS_FORMULA)).unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formulas_are_texts() {
        assert_eq!(guarded("=1+1"), "'=1+1");
        assert_eq!(guarded("-5"), "'-5");
        assert_eq!(guarded("＝1+1"), "'＝1+1");
        assert_eq!(guarded("'tis"), "''tis");
        assert_eq!(guarded("negative"), "negative");
        assert_eq!(unguarded("'tis"), "'tis");
        assert_eq!(unguarded("-5"), "-5");
    }

    proptest! {
        #[test]
        fn what_was_guarded_comes_back(text in "[='+@＝＠\\-a\t\r\n]{0,4}") {
            let cell = guarded(&text);
            prop_assert!(!cell.starts_with(['=', '+', '-', '@', '＝', '＠', '\t', '\r', '\n']));
            prop_assert_eq!(unguarded(&cell), text);
        }
    }
}
