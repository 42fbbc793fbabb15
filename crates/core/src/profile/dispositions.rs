//! `dispositions`: the handling of an issue that has no disposition of its own.

use crate::diag::{Code, Problem, Problems, nearest};
use crate::mapping;
use crate::value::Disposition;
use crate::value::decode::{Decode, Fields, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};

mapping! {
    /// The handling of an issue that has no disposition of its own, by its code.
    "dispositions" is "mapping from codes of issues to dispositions",
        expects "a mapping from codes of issues to `correct`, `escalate` or `warn`", open CODES, all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Dispositions {
        /// The handling of issues of every other code.
        #[key(default("correct"), examples(&["escalate"]))]
        otherwise: Handling,
        /// The handling of issues of the listed codes, in file order.
        #[key(skip)]
        by_code: Vec<(String, Handling)> = |fields: &mut Fields<'_>, problems| Some(by_code(fields, problems)),
    }
}

const CODES: Open = Open {
    key: "CODE",
    names: Names::Any,
    doc: "Who handles issues of this code.",
    shape: Handling::shape,
    null: Null::Absent,
};

mapping! {
    /// The handling of an issue, by whether it declares that a machine can fix it.
    "handling" is "disposition by `auto_fixable`";
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Handling {
        /// The handling of an issue with `auto_fixable: true`.
        #[key(required, examples(&["correct"]))]
        auto_fixable: Disposition,
        /// The handling of any other issue.
        #[key(required, examples(&["escalate"]))]
        otherwise: Disposition,
    }
}

impl Dispositions {
    /// The handling of an issue of this code; `auto_fixable` is the issue's own flag. An issue's own disposition takes
    /// precedence.
    #[must_use]
    pub fn of(&self, code: &str, auto_fixable: bool) -> Disposition {
        let known = self.by_code.iter().find(|(known, _)| known == code);
        let handling = known.map_or(self.otherwise, |(_, handling)| *handling);
        if auto_fixable { handling.auto_fixable } else { handling.otherwise }
    }

    /// The listed codes, in file order, and last all others (`None`): the handling of an issue that declares that the
    /// loop can fix it, and of any other.
    pub fn listed(&self) -> impl Iterator<Item = (Option<&str>, Disposition, Disposition)> {
        let codes = self.by_code.iter().map(|(code, handling)| (Some(code.as_str()), *handling));
        let all = codes.chain(std::iter::once((None, self.otherwise)));
        all.map(|(code, handling)| (code, handling.auto_fixable, handling.otherwise))
    }
}

fn by_code(fields: &Fields<'_>, problems: &mut Problems) -> Vec<(String, Handling)> {
    let mut by_code = Vec::new();
    for entry in fields.rest().into_iter().filter(|entry| !matches!(entry.value.data, Data::Null)) {
        let Some(handling) = Handling::decode(&entry.value, problems) else { continue };
        if nearest(&entry.key, ["otherwise"]).is_some() {
            let problem =
                Problem::error(Code::UnknownWord, &entry.key_span, format!("`{}` is not a code", entry.key));
            problems.push(problem.help("did you mean `otherwise`?"));
        } else {
            by_code.push((entry.key.clone(), handling));
        }
    }
    by_code
}

impl Decode for Handling {
    const EXPECTED: &'static str =
        "`correct`, `escalate`, `warn` or `{ auto_fixable: correct, otherwise: escalate }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Disposition::shape(), Shape::Mapping(Handling::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.data {
            Data::Map(_) => Self::read_mapping(node, problems),
            Data::Text { .. } => {
                let one = Disposition::decode(node, problems)?;
                Some(Handling { auto_fixable: one, otherwise: one })
            }
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;

    fn read(yaml: &str) -> (Option<Dispositions>, Vec<String>) {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("t.yaml", yaml), &mut problems).unwrap();
        let table = Dispositions::decode(&node, &mut problems);
        (table, problems.iter().map(|problem| problem.message.clone()).collect())
    }

    #[test]
    fn the_code_decides_then_whether_it_can_be_fixed() {
        let (table, problems) = read(
            "TYPE_MISMATCH: correct\nCONSTRAINT_VIOLATION: { auto_fixable: correct, otherwise: escalate }\notherwise: warn\n",
        );
        assert!(problems.is_empty(), "{problems:?}");
        let table = table.unwrap();
        for (code, auto_fixable, expected) in [
            ("TYPE_MISMATCH", false, Disposition::Correct),
            ("CONSTRAINT_VIOLATION", true, Disposition::Correct),
            ("CONSTRAINT_VIOLATION", false, Disposition::Escalate),
            ("ELSE", true, Disposition::Warn),
        ] {
            assert_eq!(table.of(code, auto_fixable), expected, "{code} {auto_fixable}");
        }
        assert_eq!(Dispositions::default().of("ELSE", false), Disposition::Correct);
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        assert_eq!(read("[A]").1.len(), 1);
        let (_, problems) = read(
            "A: corect\nB: 3\nC: { auto_fixable: warn }\nD: { auto_fixable: warn, otherwise: warn, x: 1 }\n",
        );
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert_eq!(read("otherwhise: warn\n").1, ["`otherwhise` is not a code"]);
    }
}
