//! The trees of the files in the executable, which are the same as long as the process lives.

use super::{Node, read};
use crate::diag::{Problems, SourceFile};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Trees by the names of their files, each with its file.
type Trees = HashMap<String, (Arc<SourceFile>, Node)>;

static TREES: LazyLock<RwLock<Trees>> = LazyLock::new(RwLock::default);

/// The tree of a file in the executable. One with mistakes is read anew each time, so that they are reported each time.
pub(super) fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Node> {
    let known = TREES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, tree)) = known.get(file.name()).filter(|(source, _)| source.text() == file.text()) {
        return Some(tree.clone());
    }
    drop(known);
    let mut found = Problems::new();
    let tree = read(file, &mut found);
    if let (Some(tree), true) = (&tree, found.is_empty()) {
        let mut known = TREES.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(file.name().to_owned(), (Arc::clone(file), tree.clone()));
    }
    problems.extend(found);
    tree
}
