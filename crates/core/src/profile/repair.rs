//! The repairs that may be made before a candidate is assessed.

use crate::diag::Problems;
use crate::mapping;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};

mapping! {
    /// The corrections that may be made to an answer without asking a model. Every change is recorded with its reason.
    "repair" is "set of repairs", all default or off;
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Repair {
        /// Reads answers that are not quite JSON: code fences, prose around them, trailing commas, cut ends and the like.
        /// Without it such an answer has failed.
        #[key(default("true"), examples(&["false"]))]
        pub salvage: bool,
        /// Leaves out optional values that the stage's schema refuses: empty texts and `null` above all.
        #[key(default("true"), examples(&["false"]))]
        pub drop_invalid: bool,
        /// Leaves out members that the schema forbids with `additionalProperties: false`.
        #[key(default("true"), examples(&["false"]))]
        pub drop_unknown: bool,
        /// Makes a list of a single value, and a single value of a list of one, where the schema wants it.
        #[key(default("true"), examples(&["false"]))]
        pub rewrap: bool,
        /// Writes a value in the type that the schema wants where nothing is lost: `"12"` becomes `12`.
        #[key(default("true"), examples(&["false"]))]
        pub coerce: bool,
        /// Takes space from around texts where the schema refuses it.
        #[key(default("true"), examples(&["false"]))]
        pub trim: bool,
        /// Gives required values that are missing the schema's defaults. Off, because it states something that no one
        /// has said.
        #[key(default("false"), examples(&["true"]))]
        pub defaults: bool,
    }
}

impl Decode for Repair {
    const EXPECTED: &'static str = "`false`, or a mapping of passes such as `{ drop_unknown: false }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Bool, Shape::Mapping(Self::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(true) => Some(Repair::default()),
            Data::Bool(false) => Some(Repair::OFF),
            Data::Map(_) => Self::read_mapping(node, problems),
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}
