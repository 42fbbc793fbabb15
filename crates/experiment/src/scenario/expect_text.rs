//! Expectations of a case about feedback and requests.

use crate::diag::{Code, Problem, Problems, Span};
use crate::mapping;
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use serde_json::Value;

mapping! {
    /// Parts that a text must have and must not have.
    "expected_text" is "expected text", expects "a mapping with `contains` or `lacks`", checked by ExpectedText::check;
    #[derive(Debug, Clone)]
    pub struct ExpectedText {
        /// The stage that it goes to. Without it, the first that gets feedback.
        #[key(text("the id of a stage"), examples(&["writer"]))]
        pub stage: Option<Spanned<String>>,
        /// The expected parts.
        #[key(flatten)]
        pub parts: Parts,
    }
}

mapping! {
    /// Parts that a text must have and must not have.
    "parts" is "expected text";
    #[derive(Debug, Clone)]
    pub struct Parts {
        /// The parts that the text must have. White space of any length counts as one space.
        #[key(
            shaped(|| Shape::one_or_more(Shape::text("a text"))),
            default("[]"),
            examples(&["[look for the histologic grade, margins]", "too short"])
        )]
        pub contains: Vec<Spanned<String>> as Value = parts,
        /// The parts that the text must not have.
        #[key(shaped(|| Shape::one_or_more(Shape::text("a text"))), default("[]"), examples(&["MSI"]))]
        pub lacks: Vec<Spanned<String>> as Value = parts,
    }
}

mapping! {
    /// A request that was made, found by its recipient (`stage` or `judge`) and its iteration.
    "expected_request" is "expected request", expects "a mapping with `stage` or `judge`, and `contains` or `lacks`",
        checked by ExpectedRequest::check;
    #[derive(Debug, Clone)]
    pub struct ExpectedRequest {
        /// The stage or judge that was asked.
        #[key(flatten)]
        pub asked: AskedOf as Addressee = Addressee::only,
        /// The iteration of the request, counted from 0. Without it, the last request to the stage or judge.
        #[key(examples(&["0"]))]
        pub iteration: Option<Spanned<u64>>,
        /// The JSON Schema that the answer is asked to keep to, as far as it is given. Without it, schemas are not
        /// compared.
        #[key(examples(&["{ type: object }"]))]
        pub schema: Option<Spanned<Value>>,
        /// The parts that its messages must have and must not have.
        #[key(flatten)]
        pub parts: Parts,
    }
}

mapping! {
    /// The stage or judge that was asked.
    "addressee" is "expected request";
    struct Addressee {
        /// The location of the mapping.
        #[key(skip)]
        span: Span = |fields: &mut Fields<'_>, _| Some(fields.span().clone()),
        /// The stage that was asked.
        #[key(text("the id of a stage"), examples(&["tagger"]))]
        stage: Option<Spanned<String>>,
        /// The judge that was asked.
        #[key(text("the name of a judge"), examples(&["reader"]))]
        judge: Option<Spanned<String>>,
    }
}

impl Addressee {
    fn only(self, problems: &mut Problems) -> Option<AskedOf> {
        match (self.stage, self.judge) {
            (Some(stage), None) => Some(AskedOf::Stage(stage)),
            (None, Some(judge)) => Some(AskedOf::Judge(judge)),
            _ => {
                let message = "a request goes to one stage or judge";
                let problem = Problem::error(Code::MissingKey, &self.span, message);
                problems.push(problem.help("say to whom: `stage: ID` or `judge: NAME`"));
                None
            }
        }
    }
}

impl ExpectedRequest {
    /// The location of the id of the stage or judge.
    pub(super) fn span(&self) -> &Span {
        match &self.asked {
            AskedOf::Stage(id) | AskedOf::Judge(id) => &id.span,
        }
    }
}

/// The stage or judge that is asked.
#[derive(Debug, Clone)]
pub enum AskedOf {
    /// The stage with this id.
    Stage(Spanned<String>),
    /// The judge of this name.
    Judge(Spanned<String>),
}

/// Reads one text, or a list of them.
fn parts(node: &Node, problems: &mut Problems) -> Option<Vec<Spanned<String>>> {
    let parts: Vec<Spanned<String>> = match node.data {
        Data::List(_) => Vec::decode(node, problems)?,
        _ => vec![Spanned::decode(node, problems)?],
    };
    for part in parts.iter().filter(|part| part.value.trim().is_empty()) {
        problems.push(Problem::error(Code::Empty, &part.span, "every text contains this"));
    }
    Some(parts)
}

impl Parts {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if self.contains.is_empty() && self.lacks.is_empty() {
            let problem = Problem::error(Code::Empty, fields.span(), "no expectation of the text");
            problems.push(problem.help("add `contains: [TEXT]` or `lacks: [TEXT]`"));
        }
    }
}

impl ExpectedText {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        self.parts.check(fields, problems);
    }
}

impl ExpectedRequest {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if self.schema.is_none() {
            self.parts.check(fields, problems);
        }
    }
}
