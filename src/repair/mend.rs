//! Salvage and shape together, as a profile allows.

use super::{
    Operation, Remaining, RepairKind, RepairStep, Salvaged, SchemaRepairer, Unsalvageable, Veto, salvage,
};
use crate::profile::Repair;
use crate::value::Fuel;
use serde_json::Value;

/// Most values that a schema chooses from.
const MAX_CHOICES: usize = 64;
/// Most schema errors that are listed for a value.
pub const MAX_REMAINING: usize = 100;
/// Most steps that shaping one value may take, unless whoever asks for it says otherwise: some seconds of work. A step
/// is a schema that is held against a value, or a thing that a veto looks at.
pub const MAX_STEPS: u64 = 50_000_000;

/// A value and everything that was done to get it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Repaired {
    /// The value.
    pub value: Value,
    /// What was done, in order.
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
}

impl Repairer {
    /// Without a schema, values are only read.
    #[must_use]
    pub fn without_schema(settings: Repair) -> Self {
        Repairer { settings, schema_repairer: None }
    }

    /// With a schema, compiled as scoring compiles it; `name` is its file's.
    ///
    /// # Errors
    /// One line that says what is wrong with the schema.
    pub fn new(settings: Repair, name: &str, schema: &Value) -> Result<Self, String> {
        Ok(Repairer { settings, schema_repairer: Some(SchemaRepairer::new(name, schema)?) })
    }

    /// The value that a text holds, shaped. `veto` as for [`SchemaRepairer::shape`].
    ///
    /// # Errors
    /// [`Unsalvageable`] when there is none; with `salvage: false` also when the text is not strict JSON.
    pub fn text(&self, text: &str, veto: Option<Veto<'_>>, fuel: &Fuel) -> Result<Repaired, Unsalvageable> {
        Ok(self.salvaged(self.read(text)?, veto, fuel))
    }

    /// The value that a text holds, as it is.
    ///
    /// # Errors
    /// As [`Repairer::text`].
    pub fn read(&self, text: &str) -> Result<Salvaged, Unsalvageable> {
        if self.settings.salvage { salvage(text) } else { strict(text) }
    }

    /// What a text was salvaged to, shaped. Of several values the one is taken that the schema finds least wrong with.
    #[must_use]
    pub fn salvaged(&self, salvaged: Salvaged, veto: Option<Veto<'_>>, fuel: &Fuel) -> Repaired {
        let chosen = self.chosen(salvaged, fuel);
        self.shaped(chosen, veto, fuel)
    }

    /// What a text was salvaged to; of several values the one that the schema finds least wrong with.
    #[must_use]
    pub(crate) fn chosen(&self, salvaged: Salvaged, fuel: &Fuel) -> Repaired {
        let Salvaged { value, mut steps, several } = salvaged;
        let value = match &self.schema_repairer {
            Some(schema_repairer) if !several.is_empty() => {
                choose(schema_repairer, value, several, &mut steps, fuel)
            }
            _ => value,
        };
        Repaired { value, steps }
    }

    /// What was done so far, and then shaped.
    #[must_use]
    pub(crate) fn shaped(&self, so_far: Repaired, veto: Option<Veto<'_>>, fuel: &Fuel) -> Repaired {
        let mut steps = so_far.steps;
        let shaped = self.value(so_far.value, veto, fuel);
        steps.extend(shaped.steps);
        Repaired { value: shaped.value, steps }
    }

    /// How many schema errors a value has; 0 without a schema, 1 when checking it would take too many steps.
    #[must_use]
    pub fn errors(&self, value: &Value) -> usize {
        self.schema_repairer.as_ref().map_or(0, |schema_repairer| schema_repairer.errors(value))
    }

    /// Which schema errors a value has, the first [`MAX_REMAINING`] of them; `None` without a schema.
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

/// What is not strict JSON is refused.
fn strict(text: &str) -> Result<Salvaged, Unsalvageable> {
    let value = serde_json::from_str(text)
        .map_err(|error| Unsalvageable::NotStrict { line: error.line(), column: error.column() })?;
    super::salvage::whole(value, text)
}

/// Of equally good ones the last is taken: who writes the same thing twice corrects it.
fn choose(
    schema_repairer: &SchemaRepairer,
    value: Value,
    several: Vec<Value>,
    steps: &mut Vec<RepairStep>,
    fuel: &Fuel,
) -> Value {
    let mut least = schema_repairer.error_count(&value, fuel);
    let mut best = None;
    let skipped = several.len().saturating_sub(MAX_CHOICES);
    for other in several.into_iter().skip(skipped) {
        let error_count = schema_repairer.error_count(&other, fuel);
        if error_count < least || (error_count == least && best.is_some()) {
            least = error_count;
            best = Some(other);
        }
    }
    match best {
        Some(best) if best != value => {
            let patch = vec![Operation::Replace { path: String::new(), value: best.clone() }];
            steps.push(RepairStep::on_value(RepairKind::Chosen, "", patch));
            best
        }
        _ => value,
    }
}
