//! What may be repaired before a candidate is assessed.

use super::keys;
use crate::diag::Problems;
use crate::value::decode::{Decode, Fields, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};

/// The passes of repair, each of which a profile can switch off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// Read answers that are not quite JSON.
    pub salvage: bool,
    /// Leave out optional values that the schema refuses.
    pub drop_invalid: bool,
    /// Leave out members that the schema forbids.
    pub drop_unknown: bool,
    /// Put single values into lists and take them out, as the schema wants.
    pub rewrap: bool,
    /// Write values in the type that the schema wants, where nothing is lost.
    pub coerce: bool,
    /// Take space from around texts where the schema refuses it.
    pub trim: bool,
    /// Give required values that are missing the schema's defaults.
    pub defaults: bool,
}

impl Repair {
    /// Nothing is repaired.
    pub const OFF: Repair = Repair {
        salvage: false,
        drop_invalid: false,
        drop_unknown: false,
        rewrap: false,
        coerce: false,
        trim: false,
        defaults: false,
    };
}

impl Default for Repair {
    /// Everything but defaults, which put something into a candidate that nobody has said.
    fn default() -> Self {
        Repair {
            salvage: true,
            drop_invalid: true,
            drop_unknown: true,
            rewrap: true,
            coerce: true,
            trim: true,
            defaults: false,
        }
    }
}

impl Decode for Repair {
    const EXPECTED: &'static str = "`false`, or a mapping of passes such as `{ drop_unknown: false }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Bool, Shape::Mapping(&keys::REPAIR)])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(true) => return Some(Repair::default()),
            Data::Bool(false) => return Some(Repair::OFF),
            Data::Map(_) => {}
            _ => return wrong_type(node, Self::EXPECTED, problems),
        }
        let usual = Repair::default();
        let mut fields = Fields::open(node, &keys::REPAIR, problems)?;
        let repair = Repair {
            salvage: fields.or("salvage", usual.salvage, problems),
            drop_invalid: fields.or("drop_invalid", usual.drop_invalid, problems),
            drop_unknown: fields.or("drop_unknown", usual.drop_unknown, problems),
            rewrap: fields.or("rewrap", usual.rewrap, problems),
            coerce: fields.or("coerce", usual.coerce, problems),
            trim: fields.or("trim", usual.trim, problems),
            defaults: fields.or("defaults", usual.defaults, problems),
        };
        fields.finish(problems);
        Some(repair)
    }
}
