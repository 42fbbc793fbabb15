//! Evidence that may be inspected after every document: betting against a hypothesis (Waudby-Smith and Ramdas, 2024).
//!
//! A player who bets at fair odds against a true hypothesis gains nothing on average, so that their money multiplies by
//! 1 / δ with a probability of at most δ, however often it is inspected (Ville's inequality). Money that did multiply
//! so speaks against the hypothesis at confidence 1 − δ.

use super::distribution::real;

/// Shares of the largest possible bet; the money is split evenly. Large bets gain soonest where no document is wrong, small ones
/// where the share is near the bound.
const FOR_FEW_WRONG: [f64; 6] = [0.05, 0.12, 0.25, 0.45, 0.7, 1.0];

/// Like [`FOR_FEW_WRONG`], for the other direction, where most documents lose the bet.
const FOR_MANY_WRONG: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 0.6];

/// The halvings by which [`any_time_bound`] is found: to a millionth.
const HALVINGS: usize = 20;

/// The hypothesis that is bet against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Against {
    /// That more than the share is wrong: evidence for a certificate.
    More,
    /// That no more than the share is wrong: evidence of drift.
    NoMore,
}

/// The money of a player who bets against a share of wrong documents, document by document.
#[derive(Debug, Clone)]
pub struct Wealth {
    /// For each bet: the logarithm of its money, and what a document that is right or wrong adds to it.
    bets: Vec<Bet>,
    highest: f64,
}

#[derive(Debug, Clone, Copy)]
struct Bet {
    logarithm: f64,
    right: f64,
    wrong: f64,
}

impl Wealth {
    /// Begins with 1. `share` is between 0 and 1, both excluded.
    #[must_use]
    pub fn new(against: Against, share: f64) -> Self {
        // A bet `b` multiplies the money by 1 + b (share − L) or 1 + b (L − share), where L is 1 for a wrong document, and is as
        // large as it can be without owing anything.
        let bet = |right: f64, wrong: f64| Bet { logarithm: 0.0, right: right.ln_1p(), wrong: wrong.ln_1p() };
        let bets = match against {
            Against::More => {
                FOR_FEW_WRONG.iter().map(|part| bet(part * share / (1.0 - share), -part)).collect()
            }
            Against::NoMore => {
                FOR_MANY_WRONG.iter().map(|part| bet(-part, part * (1.0 - share) / share)).collect()
            }
        };
        Wealth { bets, highest: 1.0 }
    }

    /// The money after so many documents, in any order.
    #[must_use]
    pub fn after(against: Against, share: f64, right: u64, wrong: u64) -> f64 {
        let mut wealth = Wealth::new(against, share);
        for bet in &mut wealth.bets {
            // Without wrong documents, a bet that loses everything to one loses nothing.
            let lost = if wrong == 0 { 0.0 } else { real(wrong) * bet.wrong };
            bet.logarithm = real(right) * bet.right + lost;
        }
        wealth.now()
    }

    /// Takes the next document.
    pub fn add(&mut self, wrong: bool) {
        for bet in &mut self.bets {
            bet.logarithm += if wrong { bet.wrong } else { bet.right };
        }
        self.highest = self.highest.max(self.now());
    }

    /// The money after the latest document.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.bets.iter().map(|bet| bet.logarithm.exp()).sum::<f64>() / real(self.bets.len() as u64)
    }

    /// The most money so far, which Ville's inequality is about.
    #[must_use]
    pub fn highest(&self) -> f64 {
        self.highest
    }
}

/// The smallest share of wrong documents of which it is shown that no more are wrong, at confidence 1 − δ and however
/// often reviews are inspected; 1 if nothing is shown. `wrong` are the documents in the order in which they were
/// reviewed. A larger share is easier to bet against, so that it is found by halving.
#[must_use]
pub(super) fn any_time_bound(wrong: &[bool], delta: f64) -> f64 {
    let is_shown = |share: f64| {
        let mut wealth = Wealth::new(Against::More, share);
        wrong.iter().any(|wrong| {
            wealth.add(*wrong);
            wealth.highest() >= 1.0 / delta
        })
    };
    let (mut below, mut bound) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(below, bound);
        if is_shown(middle) { bound = middle } else { below = middle }
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_at_any_time_is_the_share_at_which_a_certificate_is_given() {
        // 220 right documents certify 2 %, 219 don't.
        assert!(any_time_bound(&[false; 220], 0.05) <= 0.02);
        let bound = any_time_bound(&[false; 219], 0.05);
        assert!(bound > 0.02 && bound < 0.0202, "{bound}");
        assert!(any_time_bound(&[true, true], 0.05) >= 1.0 && any_time_bound(&[], 0.05) >= 1.0);
        // What was shown at a look stays shown.
        let mut later = vec![false; 220];
        later.extend([true; 9]);
        assert!(any_time_bound(&later, 0.05) <= 0.02);
    }

    #[test]
    fn a_bet_is_fair_at_the_share_itself() {
        for (against, share) in [(Against::More, 0.02), (Against::NoMore, 0.02), (Against::More, 0.3)] {
            let after = |wrong: bool| {
                let mut wealth = Wealth::new(against, share);
                wealth.add(wrong);
                wealth.now()
            };
            let expected = share * after(true) + (1.0 - share) * after(false);
            assert!((expected - 1.0).abs() < 1e-12, "{against:?} {share}: {expected}");
        }
    }

    #[test]
    fn some_two_hundred_right_documents_speak_against_two_percent() {
        let mut wealth = Wealth::new(Against::More, 0.02);
        let needed = (1..1_000).find(|_| {
            wealth.add(false);
            wealth.highest() >= 20.0
        });
        assert_eq!(needed, Some(220));
        // A wrong one loses money; what there was remains what there was.
        wealth.add(true);
        assert!(wealth.now() < 20.0 && wealth.highest() >= 20.0);
    }
}
