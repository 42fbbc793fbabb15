//! `extends` in classifications, rubrics, extraction patterns, vocabularies, contexts and files of rules: anything that
//! a file does not set is its parent's. A file that replaces one that ships with loopctl may extend that one, by its
//! own name.
//!
//! The files are laid over each other as trees, as profiles are, before anything is decoded: mappings merge key by key,
//! lists replace, `null` takes a key away. Two lists are different, because no one means to lose what a parent looks
//! for: of `rules` the parent's come first, and a rule with the id of a parent's replaces it; of `vocabularies` the own
//! come first, since the first that knows a field reads it.

use super::compile::missing;
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::profile::{Files, Heirs, Library, extends_chain, merge_mappings};
use crate::value::yaml::{Data, Node};
use std::sync::Arc;

/// The files that extend each other: `NAME` means `folder/NAME.yaml`.
#[derive(Debug, Clone, Copy)]
pub struct Inheritance {
    /// The folder that holds them.
    pub folder: &'static str,
    /// The name of one in messages.
    pub what: &'static str,
}

impl Inheritance {
    /// `rules/NAME.yaml` with `rules`.
    pub const RULES: Inheritance = Inheritance { folder: "rules", what: "rule file" };
    /// `rules/rubrics/NAME.yaml`.
    pub const RUBRICS: Inheritance = Inheritance { folder: "rules/rubrics", what: "rubric" };
    /// `rules/NAME.yaml` with `classify`.
    pub const CLASSIFICATIONS: Inheritance = Inheritance { folder: "rules", what: "classification" };
    /// `rules/extract/NAME.yaml`.
    pub const EXTRACTIONS: Inheritance = Inheritance { folder: "rules/extract", what: "extraction file" };
    /// `rules/vocabularies/NAME.yaml`.
    pub const VOCABULARIES: Inheritance = Inheritance { folder: "rules/vocabularies", what: "vocabulary" };
    /// `rules/NAME.yaml` with `negated`.
    pub const CONTEXTS: Inheritance = Inheritance { folder: "rules", what: "context" };

    /// The tree of a file laid over those of all that it extends, each node with its location in its own file. `None`
    /// if the file itself is not YAML. A parent that can't be used is reported and left out.
    pub fn read(self, file: &Arc<SourceFile>, files: &dyn Files, problems: &mut Problems) -> Option<Node> {
        let chain = extends_chain(file, &mut Parents { lineage: self, files }, problems)?;
        let trees = chain.heirs.into_iter().map(|heir| without_parent(heir.root));
        trees.rev().reduce(over)
    }

    /// The problem of a file that has no content.
    #[must_use]
    pub fn empty(self, file: &Arc<SourceFile>) -> Problem {
        let begin = match self.what {
            "rubric" => "types:",
            "classification" => "classify:",
            "extraction file" => "extract:",
            "vocabulary" => "values:",
            "context" => "negated:",
            _ => "rules:",
        };
        Problem::error(Code::Empty, &Span::new(file, 0, 0), "this file is empty")
            .help(format!("begin with `{begin}`, or with `extends:` and the name of another {}", self.what))
    }
}

/// The way such files extend each other: by name.
struct Parents<'f> {
    lineage: Inheritance,
    files: &'f dyn Files,
}

impl Heirs for Parents<'_> {
    fn what(&self) -> &'static str {
        self.lineage.what
    }

    fn names_one(&self) -> String {
        format!("the name of a file in `{}`, without `.yaml`", self.lineage.folder)
    }

    fn refusal(&self, file: &Arc<SourceFile>, root: &Node) -> Option<Problem> {
        matches!(root.data, Data::Null).then(|| self.lineage.empty(file))
    }

    fn parent(
        &mut self,
        name: &str,
        child: &SourceFile,
        span: &Span,
        problems: &mut Problems,
    ) -> Option<Arc<SourceFile>> {
        let Inheritance { folder, what } = self.lineage;
        let path = format!("{folder}/{name}.yaml");
        match self.files.read(&path) {
            Ok(Some(file)) if file.name() == child.name() => {
                Some(hidden_by(&path, child.name()).unwrap_or(file))
            }
            Ok(Some(file)) => Some(file),
            Ok(None) => {
                let known = self.files.list(folder, ".yaml");
                let names: Vec<&str> = known
                    .iter()
                    .filter_map(|name| name.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".yaml"))
                    .filter(|name| !name.ends_with(".test"))
                    .collect();
                problems.push(missing(what, &path, name, &names, span));
                None
            }
            Err(problem) => {
                problems.push(problem.related(span, "named here"));
                None
            }
        }
    }

    fn untie(&self, _is_itself: bool) -> &'static str {
        "a file hides the one of its own name that ships with loopctl; give yours another name, or take the link out"
    }
}

/// The file that ships with loopctl and that `own` replaces.
pub(super) fn hidden_by(path: &str, own: &str) -> Option<Arc<SourceFile>> {
    let shipped = Library::embedded().read(path).ok().flatten()?;
    (shipped.name() != own).then_some(shipped)
}

/// A tree without `extends`.
fn without_parent(mut tree: Node) -> Node {
    if let Data::Map(entries) = &mut tree.data {
        entries.retain(|entry| entry.key != "extends");
    }
    tree
}

fn over(base: Node, child: Node) -> Node {
    let lists = ADDED_UP.map(|(key, join)| (key, join, list(&base, key), list(&child, key)));
    let mut tree = merge_mappings(base, child);
    let Data::Map(entries) = &mut tree.data else { return tree };
    for (key, join, inherited, own) in lists {
        if let (Some((_, inherited)), Some((span, own))) = (inherited, own)
            && let Some(entry) = entries.iter_mut().find(|entry| entry.key == key)
        {
            entry.value = Node { span, data: Data::List(join(inherited, own)) };
        }
    }
    tree
}

/// Puts a parent's items and a child's own together.
type Join = fn(Vec<Node>, Vec<Node>) -> Vec<Node>;

/// The lists of a parent and of a child that are put together.
const ADDED_UP: [(&str, Join); 2] = [("rules", rules_of_both), ("vocabularies", vocabularies_of_both)];

/// A list of a tree, and its location.
fn list(tree: &Node, key: &str) -> Option<(Span, Vec<Node>)> {
    let node = tree.get(key)?;
    let Data::List(items) = &node.data else { return None };
    Some((node.span.clone(), items.clone()))
}

/// The parent's rules, then the child's own; a rule of the child replaces the parent's of its id.
fn rules_of_both(inherited: Vec<Node>, own: Vec<Node>) -> Vec<Node> {
    let id = |rule: &Node| rule.get("id").and_then(Node::as_text).map(str::to_owned);
    let mut rules = inherited;
    let parents = rules.len();
    for rule in own {
        let place = id(&rule)
            .and_then(|own| rules.iter().take(parents).position(|other| id(other).as_ref() == Some(&own)));
        match place.and_then(|at| rules.get_mut(at)) {
            Some(slot) => *slot = rule,
            None => rules.push(rule),
        }
    }
    rules
}

/// The child's own, then those of the parent that it does not name.
fn vocabularies_of_both(inherited: Vec<Node>, own: Vec<Node>) -> Vec<Node> {
    let mut names = own;
    for name in inherited {
        if !names.iter().any(|other| other.as_text() == name.as_text()) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::memory::Memory;
    use serde_json::json;

    fn read(files: &Memory, name: &str) -> (serde_json::Value, Vec<String>) {
        let mut problems = Problems::new();
        let file = files.read(&format!("rules/{name}.yaml")).unwrap().unwrap();
        let tree = Inheritance::RULES.read(&file, files, &mut problems).unwrap();
        (tree.to_json(), problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_child_is_laid_over_its_parents() {
        let files = Memory::default()
            .with("rules/a.yaml", "classify: { x: [1], y: [2] }\nminimum: 3\n")
            .with("rules/b.yaml", "extends: a\nclassify: { y: [3, 4], z: [5] }\n")
            .with("rules/c.yaml", "minimum: 1\nextends: b\nclassify: { x: null }\n");
        let expected = json!({ "classify": { "y": [3, 4], "z": [5] }, "minimum": 1 });
        assert_eq!(read(&files, "c"), (expected, Vec::new()));
    }

    #[test]
    fn rules_are_added_and_one_of_the_same_id_replaces() {
        let files = Memory::default()
            .with("rules/a.yaml", "rules: [{ id: one, field: x }, { id: two, field: y }]\n")
            .with(
                "rules/b.yaml",
                "extends: a\nrules: [{ id: three, field: z }, { id: one, field: w }, { id: three }]\n",
            );
        let expected = json!({ "rules": [{ "id": "one", "field": "w" }, { "id": "two", "field": "y" }, { "id": "three", "field": "z" }, { "id": "three" }] });
        assert_eq!(read(&files, "b"), (expected, Vec::new()));
    }

    #[test]
    fn vocabularies_are_added_before_the_parent_s() {
        let files = Memory::default()
            .with("rules/a.yaml", "vocabularies: [grade, margins]\n")
            .with("rules/b.yaml", "extends: a\nvocabularies: [shape, grade]\n")
            .with("rules/c.yaml", "extends: b\nvocabularies: null\n");
        assert_eq!(read(&files, "b"), (json!({ "vocabularies": ["shape", "grade", "margins"] }), Vec::new()));
        assert_eq!(read(&files, "c"), (json!({}), Vec::new()));
    }

    #[test]
    fn a_file_extends_the_shipped_one_that_it_hides() {
        let files = Memory::default().with(
            "rules/clinical-validity.yaml",
            "extends: clinical-validity\nrules: [{ id: mine, field: x }]\n",
        );
        let (tree, problems) = read(&files, "clinical-validity");
        let ids: Vec<&str> =
            tree["rules"].as_array().unwrap().iter().filter_map(|rule| rule["id"].as_str()).collect();
        assert!(ids.len() > 1 && ids.last() == Some(&"mine"), "{ids:?} {problems:?}");
    }

    #[test]
    fn what_can_not_be_extended_is_named() {
        let files = Memory::default()
            .with("rules/own.yaml", "extends: own\nrules: []\n")
            .with("rules/one.yaml", "extends: two\n")
            .with("rules/two.yaml", "extends: one\n")
            .with("rules/list.yaml", "extends: [one, two]\n")
            .with("rules/slip.yaml", "extends: lits\n");
        for (name, says) in [
            ("own", "rules/own.yaml:1:10: error[LC202]: the rule file `own` extends itself"),
            (
                "one",
                "rules/two.yaml:1:10: error[LC202]: `extends` goes round in a circle: rules/one.yaml → rules/two.yaml → rules/one.yaml",
            ),
            ("list", "rules/list.yaml:1:10: error[LC102]: `extends` names one rule file"),
            ("slip", "rules/slip.yaml:1:10: error[LC203]: there is no rule file `rules/lits.yaml`"),
        ] {
            assert_eq!(read(&files, name).1, [says], "{name}");
        }
    }
}
