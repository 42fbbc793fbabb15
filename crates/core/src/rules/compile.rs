//! The dimensions of a profile, with every file they name, to one program for each document type.

use super::answers::Answers;
use super::compiled_rule::{CompiledRule, pointer};
use super::concept::ExportTerms;
use super::context::Context;
use super::evidence::{EvidenceFiles, EvidenceRules};
use super::evidence_counts::trust_of;
use super::field_trie::FieldTrie;
use super::inherit::Inheritance;
use super::program::{CompiledMeasure, FieldWeight, GroundingSettings, Program, RubricField, RubricFields};
use super::rubric::{KnownFrom, Rubric};
use super::rule::{DecodeContext, Rule, decode_rules};
use super::schema::{Schema, SchemaCheck, read_schema};
use super::template::Template;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::profile::{Dimension, Dispositions, Files, Grounding, Measure, Overall, Weight};
use crate::script::{FunctionId, ScriptSet};
use crate::value::decode::Spanned;
use loopctl_ground::Trust;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The type of a document about which nothing better is known.
pub const UNKNOWN_TYPE: &str = "unknown";

/// Parameters of a measure function: candidate and source.
const MEASURE_PARAMETERS: usize = 2;

/// The compiled programs of a profile. Immutable; shared by all documents.
#[derive(Debug)]
pub struct CompiledRules {
    programs: BTreeMap<Arc<str>, Arc<Program>>,
    unknown: Arc<Program>,
    scripts: Arc<ScriptSet>,
    evidence: Arc<EvidenceRules>,
    dispositions: Dispositions,
    exports: ExportTerms,
    answers: Answers,
}

impl CompiledRules {
    /// Sets the profile's dispositions of issues that have none of their own; without it the loop corrects them all.
    #[must_use]
    pub fn with_dispositions(self, dispositions: Dispositions) -> Self {
        CompiledRules { dispositions, ..self }
    }

    /// Sets what is known about the answers that candidates are made of; without it nothing is.
    #[must_use]
    pub fn with_answers(self, answers: Answers) -> Self {
        CompiledRules { answers, ..self }
    }

    /// The form that answers are to have.
    #[must_use]
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// The dispositions of issues that have none of their own.
    #[must_use]
    pub fn dispositions(&self) -> &Dispositions {
        &self.dispositions
    }

    /// The program for a document type; the one for `unknown` when the type is not known.
    #[must_use]
    pub fn program(&self, document_type: &str) -> &Arc<Program> {
        self.programs.get(document_type).unwrap_or(&self.unknown)
    }

    /// Every document type with a program of its own, sorted; `unknown` is always among them.
    pub fn document_types(&self) -> impl Iterator<Item = &str> {
        self.programs.keys().map(AsRef::as_ref)
    }

    /// The knowledge about texts in the rubrics that grounding uses: names of fields, vocabularies and context.
    #[must_use]
    pub fn evidence(&self) -> &Arc<EvidenceRules> {
        &self.evidence
    }

    /// The terms that the rubrics give for exports.
    #[must_use]
    pub fn exports(&self) -> &ExportTerms {
        &self.exports
    }

    /// The scripts that the programs call.
    #[must_use]
    pub fn scripts(&self) -> &Arc<ScriptSet> {
        &self.scripts
    }
}

/// Compiles what `assess` and `overall` of a profile say, reading the rubrics, rules, schemas and scripts they name.
///
/// There is a program for each type that a rubric lists, each of `document_types` (those that classification knows),
/// and `unknown`. Every problem in every file is reported; `None` if one of them is an error.
pub fn compile(
    dimensions: &[Dimension],
    overall: &Overall,
    document_types: &[String],
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<CompiledRules> {
    let errors_before = problems.error_count();
    let mut scripts = ScriptSet::new();
    let sources = Sources::read(dimensions, files, &mut scripts, problems);
    let mut types: BTreeSet<&str> =
        sources.rubrics.values().flat_map(|r| r.types.keys()).map(String::as_str).collect();
    types.extend(document_types.iter().map(String::as_str));
    types.insert(UNKNOWN_TYPE);
    sources.check_types(&types, problems);
    let schemas = read_schemas(dimensions, &types, files, problems);
    if problems.error_count() > errors_before {
        return None;
    }
    let names: Vec<Arc<str>> = dimensions.iter().map(|d| Arc::from(d.name.as_str())).collect();
    let programs: BTreeMap<Arc<str>, Arc<Program>> = types
        .iter()
        .map(|document_type| {
            let document_type: Arc<str> = Arc::from(*document_type);
            let mut fields = FieldTrie::default();
            let measures = dimensions
                .iter()
                .map(|dimension| sources.measure(&dimension.measure, &schemas, &document_type, &mut fields))
                .collect();
            fields.close();
            let program = Program {
                document_type: Arc::clone(&document_type),
                dimensions: names.clone(),
                measures,
                overall: overall.clone(),
                fields,
            };
            (document_type, Arc::new(program))
        })
        .collect();
    let unknown = Arc::clone(programs.get(UNKNOWN_TYPE)?);
    Some(CompiledRules {
        programs,
        unknown,
        scripts: Arc::new(scripts),
        evidence: Arc::new(sources.evidence_rules(dimensions)),
        dispositions: Dispositions::default(),
        exports: sources.export_terms(),
        answers: Answers::default(),
    })
}

/// The schemas of each document type, by path template and type.
type Schemas = BTreeMap<(String, String), Arc<Schema>>;

/// The files that the dimensions name, read once.
struct Sources {
    rubrics: BTreeMap<String, Rubric>,
    rule_sets: BTreeMap<String, Vec<Rule>>,
    functions: BTreeMap<String, FunctionId>,
    /// The precision of passages, by the settings of measures of grounding.
    trusts: BTreeMap<TrustKey, Arc<Trust>>,
    evidence: EvidenceFiles,
}

impl Sources {
    fn read(
        dimensions: &[Dimension],
        files: &dyn Files,
        scripts: &mut ScriptSet,
        problems: &mut Problems,
    ) -> Self {
        let mut sources = Sources {
            rubrics: BTreeMap::new(),
            rule_sets: BTreeMap::new(),
            functions: BTreeMap::new(),
            trusts: BTreeMap::new(),
            evidence: EvidenceFiles::default(),
        };
        for measure in dimensions.iter().flat_map(|dimension| dimension.measure.parts()) {
            match measure {
                Measure::Rubric { name } => sources.read_rubric(name, files, problems),
                Measure::Grounding(grounding) => {
                    if let Some(name) = &grounding.rubric {
                        sources.read_rubric(name, files, problems);
                    }
                    sources.read_trust(grounding, files, problems);
                }
                Measure::Rules { name, .. } if !sources.rule_sets.contains_key(&name.value) => {
                    let rules = open(name, "rules", "rule file", files, problems)
                        .and_then(|file| Inheritance::RULES.read(&file, files, problems))
                        .map(|root| decode_rules(&root, &mut DecodeContext { files, scripts }, problems));
                    sources.rule_sets.insert(name.value.clone(), rules.unwrap_or_default());
                }
                Measure::Script { function } => {
                    if let Some(id) = scripts.function(function, MEASURE_PARAMETERS, files, problems) {
                        sources.functions.insert(function.value.clone(), id);
                    }
                }
                Measure::Rules { .. }
                | Measure::Schema { .. }
                | Measure::Ensemble { .. }
                | Measure::Given => {}
            }
        }
        sources
    }

    fn read_trust(&mut self, grounding: &Grounding, files: &dyn Files, problems: &mut Problems) {
        let key = trust_key(grounding);
        self.trusts.entry(key).or_insert_with(|| Arc::new(trust_of(grounding, files, problems)));
    }

    fn read_rubric(&mut self, name: &Spanned<String>, files: &dyn Files, problems: &mut Problems) {
        if self.rubrics.contains_key(&name.value) {
            return;
        }
        let rubric = open(name, "rules/rubrics", "rubric", files, problems)
            .and_then(|file| Inheritance::RUBRICS.read(&file, files, problems))
            .and_then(|root| Rubric::read_mapping(&root, problems));
        if let Some(rubric) = rubric {
            self.evidence.read(&rubric, files, problems);
            self.rubrics.insert(name.value.clone(), rubric);
        }
    }

    /// A rule for a type that nothing else knows is probably a slip.
    fn check_types(&self, known: &BTreeSet<&str>, problems: &mut Problems) {
        let only_unknown = known.len() == 1;
        for rule in self.rule_sets.values().flatten() {
            for named in &rule.types {
                if known.contains(named.value.as_str()) || only_unknown {
                    continue;
                }
                let problem = Problem::warning(
                    Code::UnknownName,
                    &named.span,
                    format!("no rubric knows the document type `{}`", named.value),
                );
                let help = match nearest(&named.value, known.iter().copied()) {
                    Some(guess) => format!("did you mean `{guess}`?"),
                    None => format!(
                        "known: {}",
                        known.iter().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ")
                    ),
                };
                problems.push(problem.help(help));
            }
        }
    }

    /// The knowledge about texts in the rubrics that grounding uses. A grounding without a rubric uses that of the
    /// first rubric dimension; without any grounding it is what values of fields are compared by.
    fn evidence_rules(&self, dimensions: &[Dimension]) -> EvidenceRules {
        let measures = || dimensions.iter().flat_map(|dimension| dimension.measure.parts());
        let first = measures().find_map(|measure| match measure {
            Measure::Rubric { name } => Some(name.value.as_str()),
            _ => None,
        });
        let mut used: BTreeSet<&str> = measures()
            .filter_map(|measure| match measure {
                Measure::Grounding(g) => g.rubric.as_ref().map(|r| r.value.as_str()).or(first),
                _ => None,
            })
            .collect();
        if used.is_empty() {
            used.extend(first);
        }
        self.evidence.rules(used.into_iter().filter_map(|name| Some((name, self.rubrics.get(name)?))))
    }

    /// The terms that the rubrics give for exports; of two for the same name, those of the first rubric by name.
    fn export_terms(&self) -> ExportTerms {
        let mut terms = ExportTerms::default();
        for rubric in self.rubrics.values() {
            for (name, concept) in &rubric.fhir {
                terms.types.entry(name.clone()).or_insert_with(|| concept.clone());
            }
            for (name, known) in &rubric.fields {
                if let Some(concept) = &known.fhir {
                    terms.fields.entry(name.clone()).or_insert_with(|| concept.clone());
                }
                if let Some(unit) = &known.unit {
                    terms.units.entry(name.clone()).or_insert_with(|| unit.value.clone());
                }
                if known.from.is_some() {
                    terms.filled_in.insert(name.clone());
                }
            }
        }
        terms
    }

    /// Fields that the host fills in: with the document's text, or with something that appears nowhere in it.
    fn filled_in(&self, with_text: bool) -> impl Iterator<Item = String> {
        let fields = self.rubrics.values().flat_map(|rubric| &rubric.fields);
        let is_meant =
            move |from: Option<KnownFrom>| from.is_some_and(|from| (from == KnownFrom::Source) == with_text);
        fields.filter(move |(_, known)| is_meant(known.from)).map(|(name, _)| name.clone())
    }

    /// Returns whether a rubric knows how documents of a type state their values.
    fn has_words_for(&self, document_type: &str) -> bool {
        let knows =
            |rubric: &Rubric| rubric.types.contains_key(document_type) && !rubric.vocabularies.is_empty();
        document_type != UNKNOWN_TYPE && self.rubrics.values().any(knows)
    }

    /// The measure of a dimension, for one document type; `None` if nothing here measures it.
    fn measure(
        &self,
        measure: &Measure,
        schemas: &Schemas,
        document_type: &str,
        fields: &mut FieldTrie,
    ) -> Option<CompiledMeasure> {
        Some(match measure {
            Measure::Rubric { name } => {
                let rubric = self.rubrics.get(&name.value);
                CompiledMeasure::Rubric(rubric_fields(rubric?, document_type, fields))
            }
            Measure::Schema { path, codes } => {
                let schema = schemas.get(&(path.value.clone(), document_type.to_owned()))?;
                fields.needs_tree();
                CompiledMeasure::Schema(SchemaCheck { schema: Arc::clone(schema), codes: codes.clone() })
            }
            Measure::Rules { name, penalty, floor, counts } => {
                let rules = self.rule_sets.get(&name.value).into_iter().flatten();
                let rules = rules.filter(|rule| rule.is_for(document_type));
                CompiledMeasure::Rules {
                    rules: rules.map(|rule| CompiledRule::new(rule, fields)).collect(),
                    penalty: *penalty,
                    floor: *floor,
                    counts: *counts,
                }
            }
            Measure::Grounding(grounding) => CompiledMeasure::Grounding(GroundingSettings {
                fuzzy: grounding.fuzzy,
                severity: grounding.severity,
                ignore: grounding.ignore.iter().cloned().chain(self.filled_in(false)).collect(),
                known: self.filled_in(true).collect(),
                by_structure: !self.has_words_for(document_type),
                trust: grounding.trust,
                patterns: Arc::clone(self.trusts.get(&trust_key(grounding))?),
                undecided: grounding.undecided,
                conflicting: grounding.conflicting,
                judged: grounding.judge.is_some(),
            }),
            Measure::Script { function } => {
                fields.needs_tree();
                CompiledMeasure::Script(*self.functions.get(&function.value)?)
            }
            Measure::Ensemble { members, combine, disagreement } => {
                let member = |(member, weight): &(Measure, Weight)| {
                    (self.measure(member, schemas, document_type, fields), *weight)
                };
                CompiledMeasure::Ensemble {
                    members: members.iter().map(member).collect(),
                    combine: *combine,
                    disagreement: *disagreement,
                }
            }
            Measure::Given => return None,
        })
    }
}

/// The file of counts that a measure of grounding names, and the share of mistakes that it assumes.
type TrustKey = (Option<String>, u64);

fn trust_key(grounding: &Grounding) -> TrustKey {
    let file = grounding.patterns.as_ref().map(|named| named.value.clone());
    (file, grounding.mistakes.get().to_bits())
}

/// The fields that a rubric has for a document type; those of `unknown` when it does not list the type.
fn rubric_fields(rubric: &Rubric, document_type: &str, fields: &mut FieldTrie) -> RubricFields {
    let listed = rubric.types.get(document_type).or_else(|| rubric.types.get(UNKNOWN_TYPE));
    let of_fields =
        rubric.fields.iter().filter_map(|(name, known)| Some((name.as_str().into(), known.left_behind?)));
    let mut found = RubricFields {
        fields: Vec::new(),
        weights: Vec::new(),
        left_behind: rubric.left_behind,
        left_behind_of: of_fields.collect(),
    };
    for (importance, name) in listed.into_iter().flat_map(|listed| &listed.0) {
        let knowledge = rubric.fields.get(name);
        found.weights.push(FieldWeight {
            slot: fields.add_whole_field(name),
            status: fields.add_field(&format!("{name}_status")),
            weight: rubric.weights.of(*importance),
        });
        found.fields.push(RubricField {
            name: Arc::from(name.as_str()),
            pointer: pointer(name),
            missing: format!("{} field `{name}` is missing", importance.as_str()).into(),
            importance: *importance,
            weight: rubric.weights.of(*importance),
            mentions: knowledge.map(|k| k.mentions.clone()).unwrap_or_default(),
            suggestion: knowledge.and_then(|k| k.suggestion.as_deref().map(Arc::from)),
            from: knowledge.and_then(|k| k.from),
            applies_when: knowledge
                .and_then(|k| k.applies_when.as_ref())
                .map(|when| Arc::new(when.compile(fields))),
        });
    }
    found
}

/// Returns whether a file in `rules` holds rules: cases and classifications are there, too.
fn holds_rules(name: &str, files: &dyn Files) -> bool {
    let file = files.read(name).ok().flatten().filter(|_| !name.ends_with(".test.yaml"));
    let root = file.and_then(|file| crate::value::yaml::parse(&file, &mut Problems::new()));
    root.is_some_and(|root| {
        root.get("rules").is_some()
            || root.get("extends").is_some() && root.get("classify").is_none() && !Context::is_one(&root)
    })
}

/// Opens `folder/NAME.yaml`; one that does not exist is reported where it is named.
pub(super) fn open(
    name: &Spanned<String>,
    folder: &str,
    what: &str,
    files: &dyn Files,
    problems: &mut Problems,
) -> Option<Arc<SourceFile>> {
    let path = format!("{folder}/{}.yaml", name.value);
    match files.read(&path) {
        Ok(Some(file)) => Some(file),
        Ok(None) => {
            let known = files.list(folder, ".yaml");
            let prefix = format!("{folder}/");
            let names: Vec<&str> = known
                .iter()
                .filter(|name| folder != Inheritance::RULES.folder || holds_rules(name, files))
                .filter_map(|k| k.strip_prefix(&prefix)?.strip_suffix(".yaml"))
                .filter(|name| !name.ends_with(".test"))
                .collect();
            problems.push(missing(what, &path, &name.value, &names, &name.span));
            None
        }
        Err(problem) => {
            problems.push(problem.related(&name.span, "named here"));
            None
        }
    }
}

pub(super) fn missing(what: &str, path: &str, name: &str, known: &[&str], span: &Span) -> Problem {
    let problem = Problem::error(Code::MissingFile, span, format!("there is no {what} `{path}`"));
    match nearest(name, known.iter().copied()) {
        Some(guess) => problem.help(format!("did you mean `{guess}`?")),
        None if known.is_empty() => problem.help("write it, or correct the name"),
        None => problem.help(format!(
            "write it, or name one that there is: {}",
            known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}

fn read_schemas(
    dimensions: &[Dimension],
    types: &BTreeSet<&str>,
    files: &dyn Files,
    problems: &mut Problems,
) -> Schemas {
    let mut by_path: BTreeMap<String, Option<Arc<Schema>>> = BTreeMap::new();
    let mut schemas = Schemas::new();
    for measure in dimensions.iter().flat_map(|dimension| dimension.measure.parts()) {
        let Measure::Schema { path, .. } = measure else { continue };
        let Some(template) = Template::check(&path.value, &["document_type"], &path.span, problems) else {
            continue;
        };
        for document_type in types {
            let rendered = template.render(|| minijinja::context! { document_type => *document_type });
            let name = match rendered {
                Ok(name) => name,
                Err(why) => {
                    let message = format!("this path can't be filled in for `{document_type}`: {why}");
                    problems.push(Problem::error(Code::BadTemplate, &path.span, message));
                    continue;
                }
            };
            let schema = by_path
                .entry(name.clone())
                .or_insert_with(|| read_schema(&name, &path.span, files, problems));
            if let Some(schema) = schema {
                schemas.insert((path.value.clone(), (*document_type).to_owned()), Arc::clone(schema));
            }
        }
    }
    schemas
}
