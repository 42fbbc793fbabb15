//! The names of the groups of patterns, and whether patterns are regular expressions at all.

use super::PatternCheck;
use regex::RegexBuilder;
use regex_syntax::hir::{Hir, HirKind};
use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

/// Largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 4 << 20;

pub(super) type GroupNames = Result<Vec<String>, String>;

/// The results of compiling patterns: profiles that are checked together name the same ones.
static COMPILED: LazyLock<RwLock<HashMap<String, GroupNames>>> = LazyLock::new(RwLock::default);
/// Most patterns that are remembered.
const MOST_COMPILED: usize = 10_000;

/// The names of the groups of a pattern that was compiled, or why it can't be.
pub(super) fn compiled_group_names(pattern: &str) -> GroupNames {
    if let Some(known) = COMPILED.read().unwrap_or_else(PoisonError::into_inner).get(pattern) {
        return known.clone();
    }
    let names = group_names(pattern, PatternCheck::Compile);
    let mut known = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST_COMPILED {
        known.clear();
    }
    known.insert(pattern.to_owned(), names.clone());
    names
}

/// The names of a pattern's groups, or why it is not a pattern.
pub(super) fn group_names(pattern: &str, care: PatternCheck) -> GroupNames {
    match care {
        PatternCheck::Compile => {
            let built = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .multi_line(true)
                .crlf(true)
                .size_limit(MAX_PATTERN)
                .build()
                .map_err(|error| last_line(&error.to_string()))?;
            Ok(built.capture_names().flatten().map(str::to_owned).collect())
        }
        PatternCheck::Syntax => {
            let parsed = regex_syntax::ParserBuilder::new()
                .case_insensitive(true)
                .multi_line(true)
                .crlf(true)
                .build()
                .parse(pattern)
                .map_err(|error| last_line(&error.to_string()))?;
            let mut names = Vec::new();
            collect_names(&parsed, &mut names);
            Ok(names)
        }
    }
}

fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The parser bounds the depth.
fn collect_names(hir: &Hir, names: &mut Vec<String>) {
    match hir.kind() {
        HirKind::Capture(capture) => {
            names.extend(capture.name.iter().map(|name| name.to_string()));
            collect_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => collect_names(&repetition.sub, names),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| collect_names(part, names));
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
    }
}
