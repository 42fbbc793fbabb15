//! A chain of providers: the next is asked when one has failed permanently.

use crate::engine::CallFailed;
use crate::provider::{CallOutcome, Provider};
use crate::value::Millis;
use std::sync::{Arc, Mutex, PoisonError};

/// Providers in the order in which they are asked. A clone begins at the first of them, whichever has failed meanwhile.
#[derive(Debug)]
pub struct FallbackChain {
    links: Vec<Provider>,
    retries: u32,
    turn: Arc<Mutex<ChainPosition>>,
}

/// The position in a chain.
#[derive(Debug, Clone, Copy, Default)]
struct ChainPosition {
    link: usize,
    /// Failed attempts of that one.
    failed: u32,
    /// `true` if one failed for a reason that another call may escape.
    escapable: bool,
    /// `true` if all have failed permanently.
    over: bool,
    /// The wait that the latest failure asks for (0, if it doesn't say), if it may pass with time.
    passing: Option<Millis>,
}

impl FallbackChain {
    /// A chain, each of whose providers is asked again at most `retries` times when it failed with a transient error.
    #[must_use]
    pub fn new(links: Vec<Provider>, retries: u32) -> Self {
        FallbackChain { links, retries, turn: Arc::default() }
    }

    /// Shares this chain with a call that is made beside others: its outcome is known here, too.
    pub(super) fn shared(&self) -> Self {
        FallbackChain { links: self.links.clone(), retries: self.retries, turn: Arc::clone(&self.turn) }
    }

    /// A new chain of these providers, from the first.
    pub(super) fn anew(&self) -> Self {
        FallbackChain::new(self.links.clone(), self.retries)
    }

    /// All providers of the chain.
    #[must_use]
    pub fn links(&self) -> &[Provider] {
        &self.links
    }

    /// The provider to ask, after `attempt` other attempts at the same piece of work, and which of its own attempts
    /// that is, from 1. Each piece of work begins with the first provider.
    pub(super) fn turn(&self, attempt: u32) -> Option<(&Provider, u32)> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if attempt == 0 {
            *turn = ChainPosition::default();
        }
        Some((self.links.get(turn.link)?, turn.failed.saturating_add(1)))
    }

    /// The position of the latest piece of work in a chain of several: how many providers have failed, and how often
    /// the next one; `None` if none has.
    pub(super) fn position(&self) -> Option<(usize, u32)> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (self.links.len() > 1 && (turn.link, turn.failed) != (0, 0)).then_some((turn.link, turn.failed))
    }

    /// Resumes at the position of another process in the same piece of work.
    pub(super) fn go_on_from(&self, (link, failed): (usize, u32)) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (turn.link, turn.failed) = (link.min(self.links.len().saturating_sub(1)), failed);
    }

    /// Decides after a failed attempt: the same provider is asked again, or the next one at once, or none is left. A
    /// provider that is not to be asked for a while is not waited for if another replaces it.
    pub(super) fn after(&self, failure: CallFailed, called: &CallOutcome) -> CallFailed {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        turn.failed = turn.failed.saturating_add(1);
        let may_pass = called.outcome.as_ref().is_err_and(|failure| failure.kind.may_pass());
        turn.passing = may_pass.then(|| failure.retry_after.unwrap_or_default());
        let last = turn.link + 1 >= self.links.len();
        if failure.transient && turn.failed <= self.retries && (last || !called.left_alone()) {
            return failure;
        }
        turn.escapable |= !called.is_of_the_account();
        turn.over = last;
        let next = turn.link + 1;
        match self.links.get(next) {
            Some(provider) => {
                *turn = ChainPosition { link: next, failed: 0, ..*turn };
                let message = format!("{}; asking {} instead", failure.message, named(provider));
                CallFailed {
                    message,
                    transient: true,
                    permanent: false,
                    retry_after: Some(Millis(0)),
                    ..failure
                }
            }
            None => CallFailed { transient: false, ..failure },
        }
    }

    /// Returns whether the latest piece of work found every provider without a usable key or account: the next will,
    /// too.
    pub(super) fn is_spent(&self) -> bool {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        turn.over && !turn.escapable
    }

    /// The time to wait for what failed in the latest piece of work, as far as it says, if it may come back by itself.
    pub(super) fn comes_back(&self) -> Option<Millis> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner).passing
    }

    /// A remark for an answer that did not come from the first provider.
    pub(super) fn note(&self) -> Option<String> {
        let turn = *self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let provider = self.links.get(turn.link).filter(|_| turn.link > 0)?;
        Some(format!("answered by {}, because the provider before it failed", named(provider)))
    }
}

impl Clone for FallbackChain {
    fn clone(&self) -> Self {
        FallbackChain::new(self.links.clone(), self.retries)
    }
}

fn named(provider: &Provider) -> String {
    let name = provider.provider_label();
    match provider.model() {
        Some(model) => format!("`{name}:{model}`"),
        None => format!("`{name}`"),
    }
}
