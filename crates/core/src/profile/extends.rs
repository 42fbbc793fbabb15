//! `extends`: a file and all that it starts from, nearest first. One mechanism for profiles and files of rules.

use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::value::yaml::{Node, parse};
use std::sync::Arc;

/// Longest chain of `extends`.
const LONGEST_CHAIN: usize = 16;

/// The particulars of files of one kind.
pub trait Heirs {
    /// The name of such a file in messages.
    fn what(&self) -> &'static str;

    /// The help text on the file that `extends` names.
    fn names_one(&self) -> String;

    /// The name of a file in messages about cycles.
    fn shown<'f>(&self, file: &'f SourceFile) -> std::borrow::Cow<'f, str> {
        file.name().into()
    }

    /// The error of a file that is found before anything in it is inspected.
    fn refusal(&self, file: &Arc<SourceFile>, root: &Node) -> Option<Problem>;

    /// Prepares a file's tree.
    fn prepare(&mut self, root: &mut Node, problems: &mut Problems) {
        let _ = (root, problems);
    }

    /// The file that `name` in a `child` means. Errors are pushed.
    fn parent(
        &mut self,
        name: &str,
        child: &SourceFile,
        span: &Span,
        problems: &mut Problems,
    ) -> Option<Arc<SourceFile>>;

    /// Advice on a file that extends itself, and on a cycle of several.
    fn untie(&self, is_itself: bool) -> &'static str;
}

/// A file with its tree.
pub struct Heir {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Its tree, `extends` in it.
    pub root: Node,
}

/// A file and all that it extends.
pub struct Chain {
    /// Nearest first; never empty.
    pub heirs: Vec<Heir>,
    /// `true` if none is missing.
    pub complete: bool,
}

/// Follows `extends`; `None` when the file itself can't be read. A parent that can't be used is reported and left out.
pub fn chain(file: &Arc<SourceFile>, kind: &mut dyn Heirs, problems: &mut Problems) -> Option<Chain> {
    let mut heirs: Vec<Heir> = Vec::new();
    let mut file = Arc::clone(file);
    let complete = loop {
        let Some(mut root) = parse(&file, problems) else { break false };
        if let Some(problem) = kind.refusal(&file, &root) {
            problems.push(problem);
            break false;
        }
        kind.prepare(&mut root, problems);
        let named = root.get("extends").cloned();
        heirs.push(Heir { file: Arc::clone(&file), root });
        let Some(named) = named else { break true };
        let Some(next) = next(&named, &heirs, kind, problems) else { break false };
        file = next;
    };
    (!heirs.is_empty()).then_some(Chain { heirs, complete })
}

/// The file that the last of `heirs` extends.
fn next(
    named: &Node,
    heirs: &[Heir],
    kind: &mut dyn Heirs,
    problems: &mut Problems,
) -> Option<Arc<SourceFile>> {
    let what = kind.what();
    let Some(name) = named.as_text() else {
        problems.push(
            Problem::error(Code::WrongType, &named.span, format!("`extends` names one {what}"))
                .help(kind.names_one()),
        );
        return None;
    };
    let child = heirs.last()?;
    let next = kind.parent(name, &child.file, &named.span, problems)?;
    let path = || {
        let files = heirs.iter().map(|heir| heir.file.as_ref()).chain([next.as_ref()]);
        files.map(|file| kind.shown(file)).collect::<Vec<_>>().join(" → ")
    };
    let is_itself = next.name() == child.file.name();
    let message = if is_itself {
        format!("the {what} `{}` extends itself", profile_name(child.file.name()))
    } else if heirs.iter().any(|heir| heir.file.name() == next.name()) {
        format!("`extends` goes round in a circle: {}", path())
    } else if heirs.len() >= LONGEST_CHAIN {
        format!("more than {LONGEST_CHAIN} {what}s extend each other: {}", path())
    } else {
        return Some(next);
    };
    problems.push(Problem::error(Code::InheritanceCycle, &named.span, message).help(kind.untie(is_itself)));
    None
}

/// The name of a file, by its path.
pub(super) fn profile_name(path: &str) -> String {
    std::path::Path::new(path)
        .file_stem()
        .map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
