//! The one guard round every exported function: a panic becomes a value, and never crosses the boundary.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use loopctl_plugin_abi::LC_PANIC;

use crate::Failure;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

static HOOK: Once = Once::new();

/// Runs `work`; a panic in it becomes a failure that names the location in the source, and nothing else: a panic's text
/// can quote what was being processed, which must not reach a log.
///
/// # Errors
/// When `work` panics.
pub(crate) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    if !std::thread::panicking() {
        HOOK.call_once(silence_guarded);
    }
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.map_err(|payload| {
        // A payload's own drop could panic again.
        std::mem::forget(payload);
        let place = PLACE.take().unwrap_or_else(|| "an unknown place".to_owned());
        Failure::new(LC_PANIC, format!("the plugin panicked at {place}"))
    })
}

/// Within [`guard`], a panic is recorded and not printed; elsewhere the previous hook runs as before.
fn silence_guarded() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if GUARDED.get() {
            let place = info.location().map(|at| format!("{}:{}:{}", at.file(), at.line(), at.column()));
            PLACE.set(place);
        } else {
            before(info);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_names_its_place_and_keeps_its_text() {
        let failure = guard(|| panic!("secret text of a document")).unwrap_err();
        assert_eq!(failure.status, LC_PANIC);
        assert!(failure.error.message.contains("guard.rs:"), "{failure}");
        assert!(!failure.error.message.contains("secret"), "{failure}");
    }

    #[test]
    fn what_works_passes() {
        assert_eq!(guard(|| 7).unwrap(), 7);
    }
}
