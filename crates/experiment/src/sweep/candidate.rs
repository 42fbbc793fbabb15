//! A policy of the space, made from its profile and the settings laid over it.

use super::super::prompt_texts::PromptTexts;
use super::super::replay::{differing_keys, told_otherwise, with_texts};
use crate::diag::{Code, Problem, Problems, Span};
use crate::policy::{Review, ScriptCriteria};
use crate::profile::{Library, LoopPolicy, Override, Settings, check_settings};
use crate::value::prose;

/// A policy of the space, ready to be tried.
#[derive(Debug)]
pub struct Candidate {
    /// The deciding policy.
    pub policy: LoopPolicy,
    /// Its compiled script criteria.
    pub scripts: ScriptCriteria,
    /// The condition on which a result needs review, as it is written and compiled.
    pub review: Option<(String, Review)>,
    /// The dimensions of its profile.
    pub dimensions: Vec<String>,
    /// `true` if its feedback would have differed from what was recorded.
    pub told_otherwise: bool,
}

/// The run that policies are tried on: what its candidates were made with.
#[derive(Debug)]
pub struct RecordedBy {
    /// The merged settings of its profile.
    pub settings: serde_json::Value,
    /// The texts of its prompts.
    pub prompts: PromptTexts,
    /// The text of its feedback template.
    pub feedback: String,
}

impl RecordedBy {
    /// The keys in which other settings make or measure candidates differently: prompts of other files are compared by
    /// their texts.
    fn differing_keys(&self, own: &serde_json::Value, library: &Library) -> Vec<String> {
        let differ = differing_keys(&self.settings, own);
        if differ.is_empty() {
            return differ;
        }
        let texts = PromptTexts::of(own, library);
        differing_keys(
            &with_texts(&self.settings, |name| self.prompts.text_of(name)),
            &with_texts(own, |name| texts.text_of(name)),
        )
    }
}

impl Candidate {
    /// The policy of some settings with others laid over them; `None` with what is wrong in `problems`. Policies under
    /// which `recorded` would have had other candidates are wrong.
    pub fn build<'o>(
        settings: &Settings,
        laid_over: impl Iterator<Item = &'o Override>,
        recorded: Option<&RecordedBy>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let laid_over: Vec<&Override> = laid_over.collect();
        let settings = settings.with(laid_over.iter().copied(), problems);
        let mut is_told_otherwise = false;
        if let Some(recorded) = recorded {
            let own = settings.merged.to_json();
            let differ = recorded.differing_keys(&own, &settings.library);
            if !differ.is_empty() {
                let laid = laid_over.iter().find(|laid| differ.iter().any(|key| key == laid.top_key()));
                let span = laid.map_or(&settings.merged.span, |laid| laid.span());
                let problem = makes_others(&differ, span);
                problems.push(match laid {
                    Some(_) => problem,
                    None => problem.help(
                        "what the run's command set with `--config` belongs under `config` of the experiment; for a profile that makes other candidates, run the documents: `documents: { fresh: … }`",
                    ),
                });
            }
            is_told_otherwise = !told_otherwise(&recorded.settings, &own, &recorded.feedback).is_empty();
        }
        let loaded = check_settings(settings, problems)?;
        let scripts = ScriptCriteria::compile(&loaded.profile.policy.stop, &loaded.library, problems);
        let dimensions: Vec<String> =
            loaded.profile.dimensions.iter().map(|dimension| dimension.name.clone()).collect();
        let names: Vec<&str> = dimensions.iter().map(String::as_str).collect();
        let review = match &loaded.profile.review {
            None => None,
            Some(when) => match Review::parse(&when.value, &names) {
                Ok(review) => Some((when.value.clone(), review)),
                Err(error) => {
                    let message = format!("`when` can't be used: {error}");
                    problems.push(Problem::error(Code::BadTemplate, &when.span, message));
                    None
                }
            },
        };
        (!problems.has_errors()).then_some(Candidate {
            policy: loaded.profile.policy,
            scripts,
            review,
            dimensions,
            told_otherwise: is_told_otherwise,
        })
    }
}

fn makes_others(keys: &[String], span: &Span) -> Problem {
    let keys = prose::listed(keys);
    let message = format!("the run would have had other candidates under these settings: {keys}");
    Problem::error(Code::Conflict, span, message).help(
        "a space over a run may differ in `accept`, `gate`, `stop`, `select`, `overall`, `on_escalate`, `on_regression` and `review`",
    )
}
