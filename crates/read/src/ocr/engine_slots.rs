//! A bound on the engines that run at once in this process: as many as there are processors, whatever the number of documents.

use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread::available_parallelism;

/// Free slots for engines.
struct EngineSlots {
    free: Mutex<usize>,
    released: Condvar,
}

/// A slot, free again when it is dropped.
pub(super) struct EngineSlot(&'static EngineSlots);

/// The number of processors.
pub(super) fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Waits for a slot.
pub(super) fn engine_slot() -> EngineSlot {
    static SLOTS: OnceLock<EngineSlots> = OnceLock::new();
    let slots =
        SLOTS.get_or_init(|| EngineSlots { free: Mutex::new(processors()), released: Condvar::new() });
    let free = slots.free.lock().unwrap_or_else(PoisonError::into_inner);
    let mut free = slots.released.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
    *free -= 1;
    EngineSlot(slots)
}

impl Drop for EngineSlot {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.released.notify_one();
    }
}
