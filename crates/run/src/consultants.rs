//! The providers and validators that one document asks.

use super::fallback::FallbackChain;
use super::provider_gone::{issues_of, unheard};
use crate::policy::StopReason;
use crate::result::DocumentResult;
use crate::value::Millis;

/// The source of candidate 0 and its corrections.
pub enum Candidates {
    /// From providers, a chain of them for each stage.
    Providers(Vec<FallbackChain>),
    /// Candidate 0 is supplied and nothing corrects it.
    Supplied,
}

/// A member of the panel that inspects candidates after the gate.
pub enum Consultant {
    /// A judge's providers.
    Judge(FallbackChain),
    /// A validator that is a service.
    Service(FallbackChain),
    /// A validator that is a program and may be run.
    Validator,
    /// A validator that may not be run, and why.
    NotRun(String),
}

impl Consultant {
    /// Returns this member for another document, from the first provider.
    pub(super) fn anew(&self) -> Self {
        match self {
            Consultant::Judge(chain) => Consultant::Judge(chain.anew()),
            Consultant::Service(chain) => Consultant::Service(chain.anew()),
            Consultant::Validator => Consultant::Validator,
            Consultant::NotRun(why) => Consultant::NotRun(why.clone()),
        }
    }
}

/// The providers and validators that a document asks, with its position in each chain of providers.
pub(super) struct ConsultedProviders {
    pub(super) candidates: Candidates,
    /// One for each member of the plan's panel.
    pub(super) consultants: Vec<Consultant>,
}

impl ConsultedProviders {
    /// Returns these providers for another document, from the first of each chain.
    pub(super) fn anew(&self) -> Self {
        ConsultedProviders {
            candidates: match &self.candidates {
                Candidates::Providers(chains) => {
                    Candidates::Providers(chains.iter().map(FallbackChain::anew).collect())
                }
                Candidates::Supplied => Candidates::Supplied,
            },
            consultants: self.consultants.iter().map(Consultant::anew).collect(),
        }
    }

    /// The positions of the document in its chains of providers, by their number: for the process that resumes it.
    pub(super) fn positions(&self) -> Vec<(usize, usize, u32)> {
        let position =
            |(at, chain): (usize, &FallbackChain)| chain.position().map(|(link, failed)| (at, link, failed));
        self.chains().enumerate().filter_map(position).collect()
    }

    /// Resumes from these positions.
    pub(super) fn go_on_from(&self, positions: &[(usize, usize, u32)]) {
        for (at, link, failed) in positions {
            if let Some(chain) = self.chains().nth(*at) {
                chain.go_on_from((*link, *failed));
            }
        }
    }

    /// The chains of the stages, then of the panel.
    fn chains(&self) -> impl Iterator<Item = &FallbackChain> {
        let stages = match &self.candidates {
            Candidates::Providers(chains) => chains.as_slice(),
            Candidates::Supplied => &[],
        };
        let panel = self.consultants.iter().filter_map(|consultant| match consultant {
            Consultant::Judge(chain) | Consultant::Service(chain) => Some(chain),
            Consultant::Validator | Consultant::NotRun(_) => None,
        });
        stages.iter().chain(panel)
    }

    /// Returns whether what a document failed for can't be asked again until a person has fixed its key or account.
    pub(super) fn is_spent(&self, result: &DocumentResult) -> bool {
        self.failed_in(result).any(FallbackChain::is_spent)
    }

    /// The time to wait for what a document failed for, if it may come back by itself: as long as it asks for, and no
    /// longer than `most`.
    pub(super) fn comes_back(&self, result: &DocumentResult, most: Millis) -> Option<Millis> {
        let asked = self.failed_in(result).filter_map(FallbackChain::comes_back).max()?;
        Some(asked.min(most))
    }

    /// The chains to search for a failure: the stages' if the document ended by a provider's failure, the judges' if it
    /// lacks the verdict of one.
    fn failed_in(&self, result: &DocumentResult) -> impl Iterator<Item = &FallbackChain> {
        let of_stages = result.stop_reason == StopReason::ProviderError;
        let of_judges = unheard(issues_of(result)).is_some();
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
