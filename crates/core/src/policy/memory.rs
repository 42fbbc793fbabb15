//! The parts of a run so far on which its later decisions depend.

use super::decide::progress;
use super::{History, Spent};
use crate::profile::LoopPolicy;
use crate::stop::Memory;

/// The parts of the history on which the policy's criteria still depend. Apart from these, decisions depend on the best
/// candidate so far and on what comes later.
#[must_use]
pub fn memory(policy: &LoopPolicy, history: &History, spent: Spent) -> Memory {
    let unasked = |_: &_| Ok(false);
    let run = progress(history, spent, &unasked);
    let mut memory = Memory::default();
    policy.stop.visit(&mut |criterion| {
        if let Some(rule) = criterion.rule() {
            rule.remember(&run, &mut memory);
        }
    });
    memory
}
