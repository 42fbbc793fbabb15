//! Patterns that are written alike share one compiled form, because many rules, document types and profiles use the
//! same patterns.

use super::{Compiled, PatternSyntax};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// The patterns of this process, by their spelling and syntax. Those that are no longer used are removed from time to
/// time.
#[derive(Default)]
struct Known {
    patterns: HashMap<(String, PatternSyntax), Weak<Compiled>>,
    /// The number of patterns at which unused ones are removed.
    most: usize,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The pattern with this spelling and syntax, made if there is none.
pub(super) fn one_of(
    written: &str,
    syntax: PatternSyntax,
    make: impl FnOnce() -> Arc<Compiled>,
) -> Arc<Compiled> {
    // A thread that panicked while holding the lock has added a whole pattern or none.
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (written.to_owned(), syntax);
    if let Some(pattern) = known.patterns.get(&key).and_then(Weak::upgrade) {
        return pattern;
    }
    if known.patterns.len() >= known.most {
        known.patterns.retain(|_, pattern| pattern.strong_count() > 0);
        known.most = 2 * known.patterns.len() + 1_000;
    }
    let pattern = make();
    known.patterns.insert(key, Arc::downgrade(&pattern));
    pattern
}

#[cfg(test)]
mod tests {
    use super::super::TextPattern;
    use crate::value::PatternSyntax;
    use std::sync::Arc;

    #[test]
    fn what_is_written_and_read_alike_is_compiled_once() {
        let plain = PatternSyntax { ignore_case: false, by_lines: false, most_bytes: 1 << 20 };
        let of = |written: &str, syntax| TextPattern::unread(written, syntax);
        let (one, two) = (of("^shared [a-z]+$", plain), of("^shared [a-z]+$", plain));
        assert!(Arc::ptr_eq(&one.0, &two.0));
        let other = of("^shared [a-z]+$", PatternSyntax { ignore_case: true, ..plain });
        assert!(!Arc::ptr_eq(&one.0, &other.0) && other.is_match("SHARED X") && !one.is_match("SHARED X"));
    }
}
