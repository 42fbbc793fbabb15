//! Draws the documents that are reviewed regardless of their results, and those that are reviewed twice.
//!
//! A document is drawn by a hash of its run and its id, before its result is known, so that decisions about drawn
//! documents are representative of all of them. Only the share of a draw is kept: with it, the same documents are drawn
//! again.

use sha2::{Digest, Sha256};

/// The shares of the documents of a run that are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// For the audit sample, of all documents.
    pub audit: f64,
    /// For a second review, of those that are reviewed.
    pub second: f64,
}

/// The purposes that a document was drawn for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Draws {
    /// It is reviewed regardless of its result.
    pub audit: bool,
    /// It is reviewed a second time, by someone who does not see what the first reviewer decided.
    pub second: bool,
}

impl Draws {
    /// The purposes that a document of a run is drawn for.
    pub fn of(shares: Shares, run: &str, document: &str) -> Self {
        Draws {
            audit: place("audit", run, document) < shares.audit,
            second: place("second", run, document) < shares.second,
        }
    }
}

/// The position of a document between 0 and 1 among all that could be, for one purpose.
#[expect(clippy::cast_precision_loss, reason = "53 bits are a number's own precision")]
fn place(purpose: &str, run: &str, document: &str) -> f64 {
    let mut hash = Sha256::new();
    for part in [purpose, run, document] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut first = [0_u8; 8];
    first.iter_mut().zip(hash.finalize()).for_each(|(to, from)| *to = from);
    (u64::from_be_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_drawn_and_a_larger_share_draws_the_same_and_more() {
        let drawn = |share: f64| {
            let shares = Shares { audit: share, second: share };
            let of = |n: u32| Draws::of(shares, "20261127T090000Z-0001", &format!("report-{n}"));
            (0..10_000).map(of).collect::<Vec<_>>()
        };
        let (small, large) = (drawn(0.02), drawn(0.1));
        let count = |draws: &[Draws], of: fn(&Draws) -> bool| draws.iter().filter(|one| of(one)).count();
        assert!((150..=250).contains(&count(&small, |one| one.audit)));
        assert!((900..=1_100).contains(&count(&large, |one| one.second)));
        assert!(small.iter().zip(&large).all(|(small, large)| !small.audit || large.audit));
        // Being drawn for one purpose is independent of the other.
        assert!((60..=140).contains(&count(&large, |one| one.audit && one.second)));
        assert!(drawn(0.0).iter().all(|one| *one == Draws::default()));
        assert!(drawn(1.0).iter().all(|one| one.audit && one.second));
        assert_ne!(place("audit", "ab", "c"), place("audit", "a", "bc"));
    }
}
