//! A range of pages, as it is written on a command line.

use std::str::FromStr;

/// Pages that are wanted, from the first to the last: `3-7`, or `3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageNumbers {
    /// The first page, from 1.
    pub first: usize,
    /// The last page.
    pub last: usize,
}

impl PageNumbers {
    /// Returns whether a page is among them.
    pub(super) fn contain(self, page: usize) -> bool {
        (self.first..=self.last).contains(&page)
    }
}

impl FromStr for PageNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| *number > 0);
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => Ok(PageNumbers { first, last }),
            _ => Err(format!("expected pages such as `3-7` or `3`, counted from 1, found `{text}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageNumbers;

    #[test]
    fn pages_are_one_or_a_range() {
        let read = |text: &str| text.parse::<PageNumbers>();
        assert_eq!(read("3-7"), Ok(PageNumbers { first: 3, last: 7 }));
        assert_eq!(read("3"), Ok(PageNumbers { first: 3, last: 3 }));
        for wrong in ["", "0", "7-3", "3-", "-3", "a", "1-2-3"] {
            assert!(read(wrong).unwrap_err().contains("`3-7`"), "{wrong}");
        }
    }
}
