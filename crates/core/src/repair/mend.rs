//! Salvage and shape together, as a profile allows.

use super::answer::{Answer, Expects, Fit, decide};
use super::expected::Expected;
use super::{Operation, Remaining, RepairStep, Salvaged, SchemaRepairer, Unsalvageable, Veto, salvage};
use crate::profile::Repair;
use crate::value::Fuel;
use serde_json::Value;

/// Most schema errors that are listed for a value.
pub const MAX_REMAINING: usize = 100;
/// Most steps that shaping one value may take, unless the caller says otherwise: some seconds of work. A step is a
/// schema that is held against a value, or a thing that a veto inspects.
pub const MAX_STEPS: u64 = 50_000_000;

/// A value and everything that was done to get it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// The steps that were taken, in order.
    pub steps: Vec<RepairStep>,
}

impl Repaired {
    /// All changes as one JSON Patch.
    #[must_use]
    pub fn patch(&self) -> Vec<Operation> {
        self.steps.iter().flat_map(|step| step.patch.iter().cloned()).collect()
    }
}

/// Repairs answers by a profile's settings, and by a schema if there is one.
#[derive(Debug)]
pub struct Repairer {
    settings: Repair,
    schema_repairer: Option<SchemaRepairer>,
    /// The schema's word on the outermost value.
    expected: Expected,
}

impl Repairer {
    /// Without a schema, values are only read.
    #[must_use]
    pub fn without_schema(settings: Repair) -> Self {
        Repairer { settings, schema_repairer: None, expected: Expected::default() }
    }

    /// With a schema, compiled as scoring compiles it; `name` is its file's.
    ///
    /// # Errors
    /// One line that describes the error in the schema.
    pub fn new(settings: Repair, name: &str, schema: &Value) -> Result<Self, String> {
        let schema_repairer = Some(SchemaRepairer::new(name, schema)?);
        Ok(Repairer { settings, schema_repairer, expected: Expected::of(schema) })
    }

    /// The value that a text holds, shaped. `veto` as for [`SchemaRepairer::shape`].
    ///
    /// # Errors
    /// [`Unsalvageable`] when there is none, or the schema fits several equally; with `salvage: false` also when the text
    /// is not strict JSON.
    pub fn text(&self, text: &str, veto: Option<Veto<'_>>, fuel: &Fuel) -> Result<Repaired, Unsalvageable> {
        self.salvaged(self.read(text)?, veto, fuel)
    }

    /// The value that a text holds, as it is.
    ///
    /// # Errors
    /// As [`Repairer::text`].
    pub fn read(&self, text: &str) -> Result<Salvaged, Unsalvageable> {
        if self.settings.salvage { salvage(text) } else { strict(text) }
    }

    /// The value that a text was salvaged to, shaped. Of several values, the one that fits the schema is taken; without
    /// a schema, the value of the salvaged text.
    ///
    /// # Errors
    /// [`Unsalvageable::Ambiguous`].
    pub fn salvaged(
        &self,
        salvaged: Salvaged,
        veto: Option<Veto<'_>>,
        fuel: &Fuel,
    ) -> Result<Repaired, Unsalvageable> {
        let so_far = if self.schema_repairer.is_some() {
            let Answer { value, steps, .. } = decide(salvaged, &BySchema { repairer: self, fuel })?;
            Repaired { value, steps }
        } else {
            Repaired { value: salvaged.value, steps: salvaged.steps }
        };
        Ok(self.shaped(so_far, veto, fuel))
    }

    /// Returns whether values are held against a schema.
    pub fn has_schema(&self) -> bool {
        self.schema_repairer.is_some()
    }

    /// Measures how well a value fits the schema; without one, anything with something in it does.
    pub fn fit(&self, value: &Value, fuel: &Fuel) -> Fit {
        let Some(schema_repairer) = &self.schema_repairer else {
            return if is_empty(value) { Fit::Unknown } else { Fit::Whole };
        };
        if !self.expected.takes_kind_of(value) {
            return Fit::Foreign;
        }
        match value {
            Value::Object(members) if !self.expected.knows_a_member_of(members) => Fit::Unknown,
            _ if schema_repairer.error_count(value, fuel).errors > 0 => Fit::Flawed,
            _ => Fit::Whole,
        }
    }

    /// A value with each part in the type that the schema wants, as far as nothing of it is lost.
    pub fn plain(&self, value: &Value, fuel: &Fuel) -> Value {
        let Repair { coerce, trim, .. } = self.settings;
        let settings = Repair { coerce, trim, ..NO_REPAIR };
        match &self.schema_repairer {
            Some(schema_repairer) => schema_repairer.shape(value.clone(), settings, None, fuel).value,
            None => value.clone(),
        }
    }

    /// The repaired value so far, shaped further.
    #[must_use]
    pub fn shaped(&self, so_far: Repaired, veto: Option<Veto<'_>>, fuel: &Fuel) -> Repaired {
        let mut steps = so_far.steps;
        let shaped = self.value(so_far.value, veto, fuel);
        steps.extend(shaped.steps);
        Repaired { value: shaped.value, steps }
    }

    /// The number of schema errors of a value; 0 without a schema, 1 when checking it would take too many steps.
    #[must_use]
    pub fn errors(&self, value: &Value) -> usize {
        self.schema_repairer.as_ref().map_or(0, |schema_repairer| schema_repairer.errors(value))
    }

    /// The schema errors of a value, the first [`MAX_REMAINING`] of them; `None` without a schema.
    #[must_use]
    pub fn remaining(&self, value: &Value) -> Option<Vec<Remaining>> {
        self.schema_repairer.as_ref().map(|schema_repairer| schema_repairer.remaining(value, MAX_REMAINING))
    }

    /// A value, shaped.
    #[must_use]
    pub fn value(&self, value: Value, veto: Option<Veto<'_>>, fuel: &Fuel) -> Repaired {
        match &self.schema_repairer {
            Some(schema_repairer) => {
                let shaped = schema_repairer.shape(value, self.settings, veto, fuel);
                Repaired { value: shaped.value, steps: shaped.steps }
            }
            None => Repaired { value, steps: Vec::new() },
        }
    }
}

/// Reads a text that must be strict JSON.
fn strict(text: &str) -> Result<Salvaged, Unsalvageable> {
    let value = serde_json::from_str(text)
        .map_err(|error| Unsalvageable::NotStrict { line: error.line(), column: error.column() })?;
    super::salvage::whole(value, text)
}

/// Settings under which no value is changed.
const NO_REPAIR: Repair = Repair {
    salvage: false,
    drop_invalid: false,
    drop_unknown: false,
    rewrap: false,
    coerce: false,
    trim: false,
    defaults: false,
};

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The expectation of a schema, and nothing else.
struct BySchema<'a> {
    repairer: &'a Repairer,
    fuel: &'a Fuel,
}

impl Expects for BySchema<'_> {
    fn fit(&self, value: &Value) -> Fit {
        self.repairer.fit(&self.repairer.plain(value, self.fuel), self.fuel)
    }

    fn plain(&self, value: &Value) -> Value {
        self.repairer.plain(value, self.fuel)
    }
}
