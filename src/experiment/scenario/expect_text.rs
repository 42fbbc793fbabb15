//! What a case expects of feedback and requests.

use super::keys;
use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use serde_json::Value;

/// Parts that a text must have and must not have. White space of any length counts as one space.
#[derive(Debug, Clone)]
pub struct ExpectedText {
    /// The stage that it goes to; by default the first that gets feedback.
    pub stage: Option<Spanned<String>>,
    /// Parts that it has.
    pub contains: Vec<Spanned<String>>,
    /// Parts that it lacks.
    pub lacks: Vec<Spanned<String>>,
}

/// A request that was made, found by whom it went to and for which iteration.
#[derive(Debug, Clone)]
pub struct ExpectedRequest {
    /// Who was asked.
    pub asked: AskedOf,
    /// For which iteration; the last request to them, if absent.
    pub iteration: Option<Spanned<u64>>,
    /// What its messages have and lack.
    pub text: ExpectedText,
    /// What the JSON Schema has that the answer is asked to keep to; compared as far as it goes.
    pub schema: Option<Spanned<Value>>,
}

impl ExpectedRequest {
    /// Where it is said who was asked.
    pub(super) fn span(&self) -> &Span {
        match &self.asked {
            AskedOf::Stage(id) | AskedOf::Judge(id) => &id.span,
        }
    }
}

/// Who is asked.
#[derive(Debug, Clone)]
pub enum AskedOf {
    /// The stage with this id.
    Stage(Spanned<String>),
    /// The judge of this name.
    Judge(Spanned<String>),
}

/// One text, or a list of them.
pub(super) struct Parts(Vec<Spanned<String>>);

impl Decode for Parts {
    const EXPECTED: &'static str = "a text, or a list of texts";

    fn shape() -> Shape {
        Shape::one_or_more(Shape::text("a text"))
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let parts: Vec<Spanned<String>> = match node.data {
            Data::List(_) => Vec::decode(node, problems)?,
            _ => vec![Spanned::decode(node, problems)?],
        };
        for part in parts.iter().filter(|part| part.value.trim().is_empty()) {
            problems.push(Problem::error(Code::Empty, &part.span, "every text contains this"));
        }
        Some(Parts(parts))
    }
}

fn decode_parts(
    fields: &mut Fields<'_>,
    said: bool,
    problems: &mut Problems,
) -> (Vec<Spanned<String>>, Vec<Spanned<String>>) {
    let contains = fields.or("contains", Parts(Vec::new()), problems).0;
    let lacks = fields.or("lacks", Parts(Vec::new()), problems).0;
    if contains.is_empty() && lacks.is_empty() && !said {
        problems.push(
            Problem::error(Code::Empty, fields.span(), "nothing is said about the text")
                .help("add `contains: [TEXT]` or `lacks: [TEXT]`"),
        );
    }
    (contains, lacks)
}

impl Decode for ExpectedText {
    const EXPECTED: &'static str = "a mapping with `contains` or `lacks`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::TEXT)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::TEXT, problems)?;
        let stage = fields.optional("stage", problems);
        let (contains, lacks) = decode_parts(&mut fields, false, problems);
        fields.finish(problems);
        Some(ExpectedText { stage, contains, lacks })
    }
}

impl Decode for ExpectedRequest {
    const EXPECTED: &'static str = "a mapping with `stage` or `judge`, and `contains` or `lacks`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::REQUEST)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::REQUEST, problems)?;
        let stage = fields.optional::<Spanned<String>>("stage", problems);
        let judge = fields.optional::<Spanned<String>>("judge", problems);
        let iteration = fields.optional("iteration", problems);
        let schema = fields.optional("schema", problems);
        let (contains, lacks) = decode_parts(&mut fields, schema.is_some(), problems);
        let whole = fields.span();
        fields.finish(problems);
        let asked = match (stage, judge) {
            (Some(stage), None) => AskedOf::Stage(stage),
            (None, Some(judge)) => AskedOf::Judge(judge),
            _ => {
                let problem = Problem::error(Code::MissingKey, whole, "a request goes to one stage or judge");
                problems.push(problem.help("say to whom: `stage: ID` or `judge: NAME`"));
                return None;
            }
        };
        Some(ExpectedRequest {
            asked,
            iteration,
            text: ExpectedText { stage: None, contains, lacks },
            schema,
        })
    }
}
