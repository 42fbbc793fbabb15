//! Whom one document asks.

use super::provider_gone::unheard;
use super::{Candidates, Consultant, DocumentResult, FallbackChain};
use crate::policy::StopReason;
use crate::value::Millis;

/// Whom a document asks, with where it stands in each chain of providers.
pub(super) struct Asked {
    pub(super) candidates: Candidates,
    /// One for each member of the plan's panel.
    pub(super) consultants: Vec<Consultant>,
}

impl Asked {
    /// The same providers for another document, from the first of each chain.
    pub(super) fn anew(&self) -> Self {
        Asked {
            candidates: match &self.candidates {
                Candidates::Providers(chains) => {
                    Candidates::Providers(chains.iter().map(FallbackChain::anew).collect())
                }
                Candidates::Supplied => Candidates::Supplied,
            },
            consultants: self.consultants.iter().map(Consultant::anew).collect(),
        }
    }

    /// Whether what a document failed for can't be asked again before a person has done something about its key or account.
    pub(super) fn is_spent(&self, result: &DocumentResult) -> bool {
        self.failed_in(result).any(FallbackChain::is_spent)
    }

    /// How long to wait for what a document failed for, if it may come back by itself: as long as it asks for, and no longer
    /// than `most`.
    pub(super) fn comes_back(&self, result: &DocumentResult, most: Millis) -> Option<Millis> {
        let asked = self.failed_in(result).filter_map(FallbackChain::comes_back).max()?;
        Some(asked.min(most))
    }

    /// Among whom a failure is to be looked for: the stages' providers if the document ended by a failure, the judges' if it
    /// lacks the word of one.
    fn failed_in(&self, result: &DocumentResult) -> impl Iterator<Item = &FallbackChain> {
        let of_stages = result.stop_reason == StopReason::ProviderError;
        let of_judges = unheard(result).is_some();
        let stages = match &self.candidates {
            Candidates::Providers(chains) if of_stages => chains.as_slice(),
            Candidates::Providers(_) | Candidates::Supplied => &[],
        };
        let judges = self.consultants.iter().filter_map(move |consultant| match consultant {
            Consultant::Judge(chain) if of_judges => Some(chain),
            _ => None,
        });
        stages.iter().chain(judges)
    }
}
