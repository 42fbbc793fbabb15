//! The behaviour of a profile, in words: the pages of those that ship, and whether every setting that counts is
//! mentioned.

use loopctl::diag::{Problems, SourceFile};
use loopctl::experiment::scenario::mutants;
use loopctl::explain::policy::{ProfileView, explain, markdown, text};
use loopctl::plan::Plan;
use loopctl::profile::{Library, Override, available, load};
use loopctl::provider::Prices;
use std::path::Path;

pub(super) const SHIPPED: [&str; 9] =
    ["aas", "balanced", "batch", "clinical", "definition", "literature", "marc", "marc-v1", "real-time"];

/// The explanation of a profile with settings laid over it; `None` when it can't be used.
pub(super) fn explained(name: &str, library: &Library, flags: &[&str]) -> Option<String> {
    let mut problems = Problems::new();
    let overrides: Vec<Override> =
        flags.iter().filter_map(|flag| Override::from_flag(flag, &mut problems)).collect();
    let loaded = load(name, library, &overrides, &|_| None, &mut problems)?;
    let plan = Plan::compile(&loaded, &mut problems).filter(|_| !problems.has_errors())?;
    let explanation = explain(ProfileView { loaded: &loaded, plan: &plan, prices: &Prices::shipped() });
    Some(markdown(&explanation))
}

/// The results of `explained` for each item, in the order of the items: compiling takes its time, so all cores have a
/// part.
pub(super) fn all_explained<T: Sync>(
    items: &[T],
    explained: impl Fn(&T) -> Option<String> + Sync,
) -> Vec<Option<String>> {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let part = items.len().div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let explained = &explained;
        let parts: Vec<_> = items
            .chunks(part)
            .map(|part| scope.spawn(move || part.iter().map(explained).collect::<Vec<_>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn page(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/profiles/{name}.md"))
}

#[test]
fn every_shipped_profile_is_explained_on_its_page() {
    let update = std::env::var_os("LOOPCTL_UPDATE").is_some();
    let library = Library::embedded();
    let mut names = available(&library);
    names.sort();
    assert_eq!(names, SHIPPED);
    let mut stale = Vec::new();
    for name in SHIPPED {
        let words = explained(name, &library, &[]).unwrap();
        let notice = format!(
            "<!-- Written by `loopctl profile explain {name} --full --format markdown`; `LOOPCTL_UPDATE=1 cargo test profile_verbs` writes it again. -->\n\n"
        );
        let expected = format!("{notice}{words}");
        if update {
            std::fs::create_dir_all(page(name).parent().unwrap()).unwrap();
            std::fs::write(page(name), expected).unwrap();
        } else if std::fs::read_to_string(page(name)).unwrap_or_default() != expected {
            stale.push(name);
        }
    }
    assert!(
        stale.is_empty(),
        "{stale:?} are explained otherwise; run again with LOOPCTL_UPDATE=1 and read what changes"
    );
}

/// A profile that sets all there is.
const EVERYTHING: &str = r"
description: all of it
candidate: value
variables: { task: find }
mask: [{ pattern: 'SECRET.*', replace: '[gone]' }]
ingest:
  ocr: { engine: tesseract, languages: [eng], dpi: 300 }
  gate: { hidden_words: { above: 2, then: review }, layer_agreement: { below: 0.6, then: ocr } }
stages:
  - id: one
    provider: [pattern, { name: 'openai:gpt-5.4-mini', config: { endpoint: openai } }]
    prompt: extract.md
    output: schemas/{{ document_type }}.schema.json
    patterns: extract/{{ document_type }}.yaml
    deadline: 20s
    retries: 2
    options: { temperature: 0, seed: 1, max_tokens: 500, extra_body: { top_p: 1 }, extra_headers: { x-team: a } }
    into: first
    skip_when: one.findings | default([]) == []
    context_files: [context/imaging-follow-up.md]
    context: { passages: 5, max_bytes: 4000 }
  - { id: two, provider: pattern, prompt: extract.md, config: { file: a.yaml }, into: second }
  - { id: three, provider: pattern, prompt: extract.md }
generate_once: [three]
judges:
  j:
    provider: openai:gpt-5.4-mini
    prompt: judge/literature.md
    reference: '{{ document_id }}.gold.json'
    withhold: [confidence, score]
    issues: /issues
    severity: major
    sees: masked
    deadline: 30s
    on_failure: { retry: 1, then: escalate }
  k: { provider: 'openai:gpt-5.4-mini', prompt: judge/literature.md, on_failure: { retry: 1, then: { fallback: 0.5 } } }
validators:
  v: { url: 'https://example.org/check', stages: [a, b], retries: 1, deadline: 9s, token: false, allow_http: false }
assess:
  completeness: { rubric: clinical }
  accuracy: { grounding: { rubric: clinical, fuzzy: 0.9, severity: major, ignore: [rawText] } }
  validity: { rules: clinical-validity, penalty: 0.10, floor: 0.30, counts: all }
  shape: { schema: 'schemas/{{ document_type }}.schema.json', codes: { type: TYPE_MISMATCH, otherwise: { code: SHAPE, severity: minor, auto_fixable: true } } }
  judged: { judge: j, score: /a, otherwise: { rules: clinical-consistency, penalty: 0.15 } }
  both:
    ensemble:
      members:
        - { judge: j, score: /a, weight: 2 }
        - { judge: k, score: /b }
        - { external: { validator: v } }
        - { rules: clinical-consistency, penalty: 0.15 }
      combine: weighted
      quorum: 2
      disagreement: { above: 0.3, then: escalate }
  local:
    ensemble:
      members: [{ rules: clinical-consistency, penalty: 0.15 }, { rubric: clinical }]
      combine: mean
      disagreement: { above: 0.2, then: warn }
overall: { completeness: 0.25, accuracy: 0.25, validity: 0.25, both: 0.25 }
accept: { overall: 0.9, validity: 0.5, critical_issues: 0, warn_issues: 7 }
gate: { validity: 0.4, on_correction: rollback }
dispositions: { TYPE_MISMATCH: correct, SHAPE: { auto_fixable: correct, otherwise: escalate }, otherwise: warn }
on_escalate: stop
on_regression: rollback
stop:
  max_iterations: 6
  max_corrections: 7
  unchanged: true
  rollbacks: 2
  stagnation: { window: 3, epsilon: 0.02 }
  min_improvement: { delta: 0.05, patience: 2, baseline: previous }
  decline: { length: 3 }
  oscillation: { window: 5, flips: 2, amplitude: 0.05 }
  flip_flop: { times: 2 }
  timeout: 90s
  budget: { cost_usd: 0.5, tokens: 90000, calls: 20 }
  any: [{ timeout: 2m }, { all: [{ decline: { length: 2 } }, { budget: { calls: 9 } }] }]
  all: [{ stagnation: { window: 2, epsilon: 0.01 } }, { rollbacks: 1 }]
select: { order: [no_critical, validity, { fewest: major }], ties: last, return: best }
feedback: { template: feedback/default.md, to: two, history: 10, max_bytes: 20000, previous_output: include, lock: none }
repair: { salvage: true, drop_invalid: true, drop_unknown: true, rewrap: true, coerce: true, trim: true, defaults: false }
network:
  connect_timeout: 5s
  first_byte_timeout: 30s
  max_response_bytes: 1000000
  max_retry_wait: 50s
  egress: [api.openai.com, example.org]
  limits: { openai: { concurrency: 4, requests_per_minute: 60, tokens_per_minute: 90000 } }
  breaker: { failures: 5, cool_down: 20s }
  retry_budget: { retries: 50, per_success: 0.1 }
  proxy: none
review: { when: overall < 0.80 or status != passed }
sections: { split: true, merge: { default: prefer_later, fields: { labValues: first } } }
certify: { wrong_documents: 2%, confidence: 95%, grid: { from: 1.0, to: 0.8, step: 0.01 } }
";

pub(super) fn everything() -> Library {
    let script = "fn plateau(run) { run.iterations.len() > 3 }\nfn share(candidate, document) { 0.5 }";
    Library::embedded()
        .holding("profiles/everything.yaml", EVERYTHING)
        .holding("rules/stop.rhai", script)
        .holding("rules/evidence.yaml", "labelled: { right: 40, wrong: 2 }\npatterns: {}\n")
}

/// Changes of [`EVERYTHING`]. A key that is not here is tried with its example (`no_key_is_silent`).
pub(super) const SETTINGS: &[&str] = &[
    "description=other",
    "classify=null",
    "candidate=patch",
    "variables.task=look",
    "variables.more=1",
    "mask.0.pattern=HIDDEN",
    "mask.0.replace=x",
    "mask=null",
    "ingest.ocr=false",
    "ingest.ocr.engine=ppocr",
    "ingest.ocr.languages=[deu]",
    "ingest.ocr.proofread=ppocr",
    "ingest.ocr.dpi=400",
    "ingest.gate.unknown_characters=false",
    "ingest.gate.unknown_characters={ above: 0.2, then: fail }",
    "ingest.gate.hidden_words.above=3",
    "ingest.gate.hidden_words.then=fail",
    "ingest.gate.missing_parts=false",
    "ingest.gate.unread_ink=false",
    "ingest.gate.picture_area={ above: 0.5, then: review }",
    "ingest.gate.skew={ above: 1, then: fail }",
    "ingest.gate.ocr_confidence={ below: 0.9, then: review }",
    "ingest.gate.layer_agreement.below=0.7",
    "ingest.gate.layer_agreement=false",
    "stages.0.provider=pattern",
    "stages.0.provider.1.config.endpoint=azure",
    "stages.0.prompt=definition/examples.md",
    "stages.0.output=schemas/judge/verification.schema.json",
    "stages.0.patterns=null",
    "stages.0.deadline=21s",
    "stages.0.retries=3",
    "stages.0.options.temperature=1",
    "stages.0.options.seed=2",
    "stages.0.options.max_tokens=501",
    "stages.0.options.model=m",
    "stages.0.options.extra_body.top_p=0.5",
    "stages.0.options.extra_headers.y=b",
    "stages.0.into=other",
    "stages.0.skip_when=null",
    "stages.0.skip_when=one.findings | length == 0",
    "stages.0.context_files=[]",
    "stages.0.context.passages=6",
    "stages.0.context.max_bytes=4001",
    "stages.1.config.file=b.yaml",
    "generate_once=[]",
    "judges.j.provider=none",
    "judges.j.provider=[openai:gpt-5.4-mini, openai:gpt-5.5]",
    "judges.j.prompt=judge/definition.md",
    "judges.j.output=schemas/judge/verification.schema.json",
    "judges.j.reference=null",
    "judges.j.withhold=[]",
    "judges.j.issues=/other",
    "judges.j.severity=critical",
    "judges.j.sees=unmasked",
    "judges.j.deadline=31s",
    "judges.j.on_failure.retry=0",
    "judges.j.on_failure.then={ fallback: validity }",
    "judges.k.on_failure.then.fallback=0.6",
    "judges.j.options.temperature=1",
    "validators.v.url=https://example.org/other",
    "validators.v.stages=[a]",
    "validators.v.retries=2",
    "validators.v.deadline=10s",
    "validators.v.token=true",
    "validators.v.allow_http=true",
    "assess.completeness=grounding",
    "assess.accuracy.grounding.fuzzy=0.8",
    "assess.accuracy.grounding.severity=minor",
    "assess.accuracy.grounding.ignore=[]",
    "assess.validity.rules=clinical-consistency",
    "assess.validity.penalty=0.11",
    "assess.validity.floor=0.31",
    "assess.validity.counts=blocking",
    "assess.shape.schema=schemas/judge/verification.schema.json",
    "assess.shape.codes.type=OTHER",
    "assess.shape.codes.otherwise.severity=major",
    "assess.shape.codes.otherwise.auto_fixable=false",
    "assess.judged.judge=k",
    "assess.judged.score=/c",
    "assess.judged.otherwise.penalty=0.2",
    "assess.both.ensemble.members.0.weight=3",
    "assess.both.ensemble.members.3.weight=3",
    "assess.both.ensemble.quorum=1",
    "assess.both.ensemble.quorum=null",
    "assess.both.ensemble.disagreement.above=0.4",
    "assess.both.ensemble.disagreement.then=warn",
    "assess.local.ensemble.combine=max",
    "assess.local.ensemble.combine=median",
    "assess.local.ensemble.disagreement.above=0.3",
    "assess.local.ensemble.disagreement.then=escalate",
    "overall={ from: validity }",
    "overall.accuracy=0.5",
    "accept.overall=0.91",
    "accept.validity=null",
    "accept.critical_issues=1",
    "accept.warn_issues=8",
    "accept.major_issues=0",
    "gate=null",
    "gate.validity=0.5",
    "gate.on_correction=stop",
    "dispositions.TYPE_MISMATCH=warn",
    "dispositions.SHAPE.auto_fixable=warn",
    "dispositions.SHAPE.otherwise=warn",
    "dispositions.otherwise=correct",
    "on_escalate=continue",
    "on_regression=keep",
    "stop.max_iterations=5",
    "stop.max_corrections=4",
    "stop.unchanged=false",
    "stop.rollbacks=1",
    "stop.stagnation.window=4",
    "stop.stagnation.epsilon=0.03",
    "stop.min_improvement.delta=0.06",
    "stop.min_improvement.patience=1",
    "stop.min_improvement.baseline=best",
    "stop.decline.length=4",
    "stop.oscillation.window=6",
    "stop.oscillation.flips=3",
    "stop.oscillation.amplitude=0.06",
    "stop.oscillation.amplitude=0",
    "stop.flip_flop.times=1",
    "stop.script={ plateau: 'stop.rhai#plateau' }",
    "stop.timeout=91s",
    "stop.timeout=null",
    "stop.budget.cost_usd=0.6",
    "stop.budget.tokens=90001",
    "stop.budget.calls=21",
    "stop.budget=null",
    "stop.any.0.timeout=3m",
    "stop.any.1.all.0.decline.length=3",
    "stop.any.1={ any: [{ decline: { length: 2 } }, { budget: { calls: 9 } }] }",
    "stop.any=null",
    "stop.all.1.rollbacks=2",
    "stop.all=null",
    "select.order=[validity, no_critical, { fewest: major }]",
    "select.order.2.fewest=minor",
    "select.ties=first",
    "select.return=last",
    "feedback.template=feedback/definition.md",
    "feedback.to=all",
    "feedback.history=9",
    "feedback.max_bytes=20001",
    "feedback.previous_output=omit",
    "feedback.previous_output=failing_fields",
    "feedback.lock=passing",
    "repair=false",
    "repair.salvage=false",
    "repair.drop_invalid=false",
    "repair.drop_unknown=false",
    "repair.rewrap=false",
    "repair.coerce=false",
    "repair.trim=false",
    "repair.defaults=true",
    "sections.split=false",
    "sections.merge.default=conflict",
    "sections.merge.default=all",
    "network.connect_timeout=6s",
    "network.first_byte_timeout=31s",
    "network.max_response_bytes=1000001",
    "network.max_retry_wait=51s",
    "network.egress=[api.openai.com]",
    "network.limits.openai.concurrency=5",
    "network.limits.openai.requests_per_minute=61",
    "network.limits.openai.tokens_per_minute=90001",
    "network.breaker=false",
    "network.breaker.failures=6",
    "network.breaker.cool_down=21s",
    "network.retry_budget.retries=51",
    "network.retry_budget.per_success=0.2",
    "network.proxy=http://proxy.example:3128",
    "review=null",
    "review.when=overall < 0.81 or status != passed",
    "review.when=overall < 0.80 and status != passed",
];

#[test]
fn every_setting_that_changes_a_decision_changes_the_explanation() {
    let library = everything();
    let plain = explained("everything", &library, &[]).unwrap();
    let mut silent = Vec::new();
    let mut unusable = Vec::new();
    let explanations = all_explained(SETTINGS, |setting| explained("everything", &library, &[setting]));
    for (setting, explanation) in SETTINGS.iter().zip(explanations) {
        match explanation {
            None => unusable.push(*setting),
            Some(other) if other == plain => silent.push(*setting),
            Some(_) => {}
        }
    }
    assert!(
        silent.is_empty() && unusable.is_empty(),
        "silent: {silent:#?}\nunusable: {unusable:#?}\n{plain}"
    );
}

/// Changes of a shipped profile that make no difference, each with its profile, because what is left says the same: the
/// default has `ties: last`, and `marc`, which `balanced` extends, accepts from 0.95, too.
const IDLE: [(&str, &str); 3] = [
    ("clinical", "select.ties: left out"),
    ("literature", "select.ties: left out"),
    ("balanced", "accept.overall: left out"),
];

#[test]
#[ignore = "long"]
fn every_slip_in_a_shipped_profile_changes_its_explanation() {
    for name in ["clinical", "literature", "balanced"] {
        let path = format!("{}/profiles/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let written = std::fs::read_to_string(&path).unwrap();
        let file = SourceFile::new(path, written);
        let judge = ["judges.*.provider=openai:gpt-5.4-mini"];
        let flags = if name == "balanced" { &[] } else { &judge[..] };
        let plain = explained(name, &Library::embedded(), flags).unwrap();
        let dimensions = ["completeness", "accuracy", "validity", "consistency", "schema_compliance"];
        let mut silent = Vec::new();
        let mut tried = 0;
        let place = format!("profiles/{name}.yaml");
        let mutants = mutants(&file, &dimensions.map(str::to_owned));
        let explanations = all_explained(&mutants, |mutant| {
            explained(name, &Library::embedded().holding(&place, mutant.text.clone()), flags)
        });
        for (mutant, explanation) in mutants.into_iter().zip(explanations) {
            let Some(other) = explanation else { continue };
            tried += 1;
            if other == plain && !IDLE.contains(&(name, mutant.name.as_str())) {
                silent.push(mutant.name);
            }
        }
        assert!(tried > 5 && silent.is_empty(), "{name}, {tried} tried: {silent:#?}");
    }
}

#[test]
fn what_is_said_of_judges_is_said_when_there_are_some() {
    let words =
        explained("literature", &Library::embedded(), &["judges.*.provider=openai:gpt-5.4-mini"]).unwrap();
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("explained_literature_with_a_judge", words);
        insta::assert_snapshot!("explained_everything", explained("everything", &everything(), &[]).unwrap());
    });
}

#[test]
fn text_and_markdown_say_the_same() {
    let mut problems = Problems::new();
    let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
    let plan = Plan::compile(&loaded, &mut problems).unwrap();
    let explanation = explain(ProfileView { loaded: &loaded, plan: &plan, prices: &Prices::shipped() });
    let words = |text: &str| {
        let cleaned = text.replace("**", "").to_lowercase();
        let words = cleaned.split(|c: char| c.is_whitespace() || c == '#' || c == '-' || c == '.');
        words
            .filter(|word| !word.is_empty() && word.parse::<u32>().is_err())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&text(&explanation)), words(&markdown(&explanation)));
}
