//! A check whether a better candidate at the same position ends worse.

use super::Subject;
use super::candidates::{Candidate, Candidates};
use super::search::Tried;
use crate::policy::{FinalStatus, StopReason, Verdict, ranks_below};
use crate::profile::Target;
use std::cmp::Ordering;

/// Pairs of candidates of which the second is better.
pub(super) struct Pairs(Vec<(usize, usize)>);

impl Pairs {
    /// Pairs that differ in this score alone, or with `None` in anything that makes a candidate better; those with
    /// others in between are left out.
    pub(super) fn of(candidates: &Candidates, score: Option<&Target>) -> Self {
        let own = match score {
            Some(Target::Dimension(name)) => candidates.dimensions.iter().position(|known| known == name),
            _ => None,
        };
        let scores = candidates.dimensions.len();
        let better = |worse: &Candidate, better: &Candidate| {
            if worse.content.repeats() || worse.group != better.group || worse.class == better.class {
                return false;
            }
            let mut pairs = worse.quality.iter().zip(&better.quality).enumerate();
            match score {
                None => pairs.all(|(_, (a, b))| b >= a),
                // Issues are the same, and no score is lower.
                Some(Target::Overall) => pairs.all(|(at, (a, b))| if at < scores { b >= a } else { a == b }),
                Some(Target::Dimension(_)) => {
                    pairs.all(|(at, (a, b))| if Some(at) == own { b > a } else { (a - b).abs() < 1e-9 })
                }
            }
        };
        let list = &candidates.list;
        let mut found: Vec<Vec<usize>> = Vec::with_capacity(list.len());
        for worse in list {
            let above = list.iter().enumerate().filter(|(_, other)| better(worse, other)).map(|(at, _)| at);
            found.push(above.collect());
        }
        // Pairs that follow from two others need not be checked.
        let mut pairs = Vec::new();
        for (worse, above) in found.iter().enumerate() {
            let mut follows = vec![false; list.len()];
            for between in above {
                for far in found.get(*between).into_iter().flatten() {
                    if let Some(follows) = follows.get_mut(*far) {
                        *follows = true;
                    }
                }
            }
            let near = above.iter().filter(|at| !follows.get(**at).copied().unwrap_or(false));
            pairs.extend(near.map(|at| (worse, *at)));
        }
        Pairs(pairs)
    }

    /// The first pair of which the better one ends worse, and how.
    pub(super) fn first_worse(
        &self,
        subject: &Subject<'_>,
        tried: &[Option<Tried>],
    ) -> Option<(usize, usize, &'static str)> {
        self.0.iter().find_map(|(worse, better)| {
            let (a, b) = (tried.get(*worse)?.as_ref()?, tried.get(*better)?.as_ref()?);
            Some((*worse, *better, ends_worse(subject, a, b)?))
        })
    }
}

/// The quality of an end, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Failed,
    Stopped,
    GoesOn,
    Accepted,
}

fn end_of(tried: &Tried) -> End {
    match &tried.decision.verdict {
        Verdict::Stop { reason: StopReason::Accepted } => End::Accepted,
        Verdict::Stop { reason } if reason.status() == FinalStatus::Failed => End::Failed,
        Verdict::Stop { .. } => End::Stopped,
        Verdict::Continue { .. } => End::GoesOn,
    }
}

/// The description of what is worse about the end of the better candidate, if anything is.
fn ends_worse(subject: &Subject<'_>, worse: &Tried, better: &Tried) -> Option<&'static str> {
    let (a, b) = (end_of(worse), end_of(better));
    match b.cmp(&a) {
        Ordering::Greater => None,
        Ordering::Less => Some(match (a, b) {
            (End::Accepted, _) => "it is not accepted, and the worse one is",
            (_, End::Failed) => "it fails, and the worse one does not",
            _ => "it ends the loop, and the worse one continues",
        }),
        Ordering::Equal => {
            let returned = |tried: &Tried| {
                let selection = tried.walk.history.selection(subject.policy, false)?;
                tried.walk.history.iterations().get(selection.iteration).cloned()
            };
            let ended = matches!(a, End::Failed | End::Stopped);
            let (a, b) = (returned(worse)?, returned(better)?);
            (ended && ranks_below(&subject.policy.select, &b, &a)).then_some(
                "a candidate is returned that ranks below the one which is returned with the worse one",
            )
        }
    }
}
