//! The files that a profile reaches by name.

use super::ProfileView;
use crate::diag::SourceFile;
use crate::profile::{Asked, Call, Criterion, Files, Measure};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every file that the profile names, with what it holds. Files that those include are not followed.
pub(super) fn reached(subject: ProfileView<'_>) -> BTreeMap<String, Arc<SourceFile>> {
    let plan = subject.plan;
    let profile = &plan.profile;
    let types: Vec<&str> = plan.document_types().collect();
    let mut names: Vec<String> = Vec::new();
    let mut by_type = |path: &str| {
        for document_type in &types {
            names.push(
                path.replace("{{ document_type }}", document_type)
                    .replace("{{document_type}}", document_type),
            );
        }
    };
    for measure in profile.dimensions.iter().flat_map(|dimension| dimension.measure.parts()) {
        match measure {
            Measure::Rubric { name } => by_type(&format!("rules/rubrics/{}.yaml", name.value)),
            Measure::Schema { path, .. } => by_type(&path.value),
            Measure::Rules { name, .. } => by_type(&format!("rules/{}.yaml", name.value)),
            Measure::Script { function } => by_type(&script(&function.value)),
            Measure::Grounding(grounding) => {
                if let Some(rubric) = &grounding.rubric {
                    by_type(&format!("rules/rubrics/{}.yaml", rubric.value));
                }
            }
            Measure::Ensemble { .. } | Measure::Given => {}
        }
    }
    let mut call = |call: &Call| {
        if let Some(prompt) = &call.prompt {
            by_type(&format!("prompts/{}", prompt.value));
        }
        if let Some(output) = &call.output {
            by_type(&output.value);
        }
    };
    profile.stages.iter().for_each(|stage| call(&stage.call));
    profile.judges.iter().filter(|judge| judge.is_asked()).for_each(|judge| call(&judge.call));
    for stage in &profile.stages {
        if let Some(patterns) = &stage.patterns {
            by_type(&format!("rules/{}", patterns.value));
        }
        stage.context_files.iter().for_each(|file| by_type(&format!("prompts/{}", file.value)));
    }
    for validator in &profile.validators {
        if let Asked::Command { script: Some(file), .. } = &validator.asked {
            by_type(&format!("rules/{}", file.value));
        }
    }
    if let Some(classify) = &profile.classify {
        by_type(&format!("rules/{}.yaml", classify.value));
    }
    by_type(&format!("prompts/{}", profile.feedback.template.value));
    let mut scripts = Vec::new();
    profile.policy.stop.visit(&mut |criterion| {
        if let Criterion::Script(named) = criterion {
            scripts.push(script(&named.function.value));
        }
    });
    scripts.iter().for_each(|file| by_type(file));
    let library = &subject.loaded.library;
    let read = |name: String| Some((name.clone(), library.read(&name).ok().flatten()?));
    names.into_iter().filter_map(read).collect()
}

/// The file of `file.rhai#function`.
fn script(function: &str) -> String {
    format!("rules/{}", function.split('#').next().unwrap_or_default())
}
