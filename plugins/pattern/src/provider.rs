//! The plugin: a request in, a completion out.

use std::sync::{Arc, Mutex, PoisonError};

use loopctl_plugin_sdk::protocol::{Completion, CompletionRequest, Usage};
use loopctl_plugin_sdk::{Cancel, DirectPlugin, Failure};
use serde_json::{Value, json};

use crate::extract::{Known, correct_with, extract_with};
use crate::focus::focus;
use crate::patterns::Patterns;

/// The provider `pattern`.
#[derive(Debug, Default)]
pub struct PatternPlugin {
    /// The patterns that were read last, with what is compiled of them: documents of one type come in rows, and compiling takes
    /// longer than extracting.
    compiled: Mutex<Option<(Value, Arc<Patterns>)>>,
}

impl PatternPlugin {
    fn compile(&self, file: &Value) -> Result<Arc<Patterns>, Failure> {
        {
            let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((of, patterns)) = compiled.as_ref()
                && of == file
            {
                return Ok(Arc::clone(patterns));
            }
        }
        let patterns =
            Patterns::from_json(file).map_err(|error| Failure::invalid_request(error.to_string()))?;
        let patterns = Arc::new(patterns);
        *self.compiled.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((file.clone(), Arc::clone(&patterns)));
        Ok(patterns)
    }
}

impl DirectPlugin for PatternPlugin {
    fn open(_config: &Value) -> Result<Self, Failure> {
        Ok(Self::default())
    }

    fn complete(&self, request: &CompletionRequest, cancel: &Cancel) -> Result<Completion, Failure> {
        let file = request.patterns.as_ref().ok_or_else(|| {
            let of = &request.document.document_type;
            Failure::invalid_request(format!(
                "no patterns for documents of type `{of}`: add `rules/extract/{of}.yaml`"
            ))
        })?;
        let source = request.source.as_deref().ok_or_else(|| {
            Failure::invalid_request("the request has no `source`: nothing to extract from")
        })?;
        let patterns = self.compile(file)?;
        if cancel.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let known = Known { parts: &request.parts, assertions: request.assertions.as_ref() };
        let base = request.base.as_ref().and_then(Value::as_object);
        let extraction = match (base, &request.feedback) {
            (None, None) => extract_with(&patterns, source, known),
            (base, feedback) => {
                let fresh;
                let base = match base {
                    Some(base) => base,
                    None => {
                        fresh = extract_with(&patterns, source, known).fields;
                        &fresh
                    }
                };
                let focus = feedback.as_ref().map(focus).unwrap_or_default();
                correct_with(&patterns, source, known, base, &focus, tier(request.iteration))
            }
        };
        if cancel.is_cancelled() {
            return Err(Failure::cancelled());
        }
        let fields = Value::Object(extraction.fields);
        Ok(Completion {
            value: Some(if request.quotes { quoted(&fields, &extraction.quotes) } else { fields }),
            usage: Usage { cost_usd: Some(0.0), ..Usage::default() },
            model: Some("pattern".to_owned()),
            notes: extraction.notes,
            ..Completion::default()
        })
    }
}

/// The answer where quotes are asked for.
fn quoted(fields: &Value, quotes: &[(String, String)]) -> Value {
    let evidence: Vec<Value> =
        quotes.iter().map(|(path, quote)| json!({ "path": path, "quote": quote })).collect();
    json!({ "extraction": fields, "evidence": evidence })
}

/// Iterations are numbered from 0, and correction k is iteration k: it may use the patterns up to tier k.
fn tier(iteration: u32) -> u32 {
    iteration.max(1)
}
