//! Each rule of `rules/aas.yaml` with an edit that breaks it and nothing else.

use loopctl::diag::Problems;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::Assessment;
use loopctl::value::Disposition;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn property(id_short: &str) -> Value {
    json!({"modelType": "Property", "idShort": id_short, "valueType": "xs:int", "value": "5"})
}

fn external(value: &str) -> Value {
    json!({"type": "ExternalReference", "keys": [{"type": "GlobalReference", "value": value}]})
}

/// A model reference of keys written `Type:value`.
fn model(keys: &[&str]) -> Value {
    let key = |key: &&str| {
        let (kind, value) = key.split_once(':').unwrap();
        json!({"type": kind, "value": value})
    };
    json!({"type": "ModelReference", "keys": keys.iter().map(key).collect::<Vec<_>>()})
}

fn reference(id_short: &str, value: &Value) -> Value {
    json!({"modelType": "ReferenceElement", "idShort": id_short, "value": value})
}

/// An environment without issues that has something of everything.
fn document() -> Value {
    let capability = json!({"modelType": "Capability", "semanticId": external("urn:can")});
    let mut counted = property("");
    counted.as_object_mut().unwrap().remove("idShort");
    counted["semanticId"] = external("urn:count");
    let elements = json!([
        property("number"),
        {"modelType": "Range", "idShort": "range", "valueType": "xs:double", "min": "1", "max": "2.5"},
        {"modelType": "Blob", "idShort": "blob", "contentType": "text/plain", "value": "QUJD"},
        {"modelType": "File", "idShort": "file", "contentType": "application/pdf", "value": "/a.pdf"},
        {"modelType": "MultiLanguageProperty", "idShort": "texts",
         "value": [{"language": "en", "text": "a"}, {"language": "de", "text": "b"}]},
        {"modelType": "SubmodelElementCollection", "idShort": "parts", "value": [property("x"), property("y")]},
        {"modelType": "SubmodelElementList", "idShort": "counts", "typeValueListElement": "Property",
         "valueTypeListElement": "xs:int", "semanticIdListElement": external("urn:count"), "value": [counted]},
        {"modelType": "SubmodelElementList", "idShort": "skills", "typeValueListElement": "Capability",
         "value": [capability.clone(), capability]},
        reference("there", &model(&["Submodel:urn:s", "SubmodelElementCollection:parts", "Property:x"])),
        reference("outside", &external("urn:elsewhere")),
        reference("page", &model(&["Submodel:urn:other", "File:file", "FragmentReference:page=2"])),
        reference("first", &model(&["Submodel:urn:s", "SubmodelElementList:counts", "Property:0"])),
        {"modelType": "Entity", "idShort": "part", "entityType": "SelfManagedEntity",
         "globalAssetId": "urn:part", "statements": [property("weight")]},
        {"modelType": "Entity", "idShort": "shared", "entityType": "CoManagedEntity"},
        {"modelType": "Operation", "idShort": "run", "inputVariables": [{"value": property("in")}],
         "outputVariables": [{"value": property("out")}]},
        {"modelType": "BasicEventElement", "idShort": "changed", "observed": model(&["Submodel:urn:s"]),
         "direction": "output", "state": "on", "lastUpdate": "2024-02-29T00:00:00Z", "maxInterval": "PT1H"}
    ]);
    json!({
        "assetAdministrationShells": [{
            "modelType": "AssetAdministrationShell", "id": "urn:a", "idShort": "A",
            "administration": {"version": "1", "revision": "2"},
            "description": [{"language": "en", "text": "a pump"}],
            "extensions": [{"name": "note", "value": "free text"}, {"name": "size", "valueType": "xs:int", "value": "1"}],
            "derivedFrom": model(&["AssetAdministrationShell:urn:type"]),
            "assetInformation": {"assetKind": "Instance", "globalAssetId": "urn:asset", "specificAssetIds": [
                {"name": "globalAssetId", "value": "urn:asset"},
                {"name": "stock", "value": "7", "externalSubjectId": external("urn:shop")}
            ]},
            "submodels": [model(&["Submodel:urn:s"])]
        }],
        "submodels": [{
            "modelType": "Submodel", "id": "urn:s", "idShort": "S", "semanticId": external("urn:sm"),
            "supplementalSemanticIds": [external("urn:more")],
            "qualifiers": [{"type": "q", "valueType": "xs:string", "value": ""}],
            "submodelElements": elements
        }],
        "conceptDescriptions": [{
            "modelType": "ConceptDescription", "id": "urn:c", "category": "PROPERTY",
            "embeddedDataSpecifications": [{
                "dataSpecification": external("urn:iec"),
                "dataSpecificationContent": {
                    "modelType": "DataSpecificationIec61360", "dataType": "STRING",
                    "preferredName": [{"language": "en", "text": "count"}],
                    "definition": [{"language": "en-US", "text": "how many"}]
                }
            }]
        }]
    })
}

const SM: &str = "/submodels/0";
const EL: &str = "/submodels/0/submodelElements";
const IEC: &str = "/conceptDescriptions/0/embeddedDataSpecifications/0/dataSpecificationContent";
const CD: &str = "/conceptDescriptions/0";
const AAS: &str = "/assetAdministrationShells/0";

/// Rule, code, who handles it, the issue's path, and the edit: operations as `op path value`.
fn cases() -> Vec<(&'static str, &'static str, Disposition, String, Value)> {
    use Disposition::{Correct, Escalate, Warn};
    let put = |path: String, value: Value| json!([{"op": "add", "path": path, "value": value}]);
    let take = |path: String| json!([{"op": "remove", "path": path}]);
    let element = |value: Value| put(format!("{EL}/-"), value);
    let refer = |keys: &[&str]| put(format!("{EL}/9/value"), model(keys));
    let violation = "CONSTRAINT_VIOLATION";
    let reference = "INVALID_REFERENCE";
    vec![
        (
            "structure",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/0/idShort"),
            put(format!("{EL}/0/idShort"), json!(1)),
        ),
        (
            "structure",
            "REQUIRED_FIELD",
            Correct,
            format!("{EL}/0/valueType"),
            take(format!("{EL}/0/valueType")),
        ),
        (
            "structure",
            violation,
            Correct,
            format!("{EL}/0/idShort"),
            put(format!("{EL}/0/idShort"), json!("my number")),
        ),
        ("structure", violation, Correct, format!("{EL}/0"), put(format!("{EL}/0/serial"), json!("1"))),
        (
            "structure",
            violation,
            Correct,
            format!("{EL}/0/modelType"),
            put(format!("{EL}/0/modelType"), json!("Prop")),
        ),
        (
            "structure",
            violation,
            Escalate,
            format!("{SM}/idShort"),
            put(format!("{SM}/idShort"), json!("a".repeat(129))),
        ),
        (
            "id-short-is-needed",
            "REQUIRED_FIELD",
            Correct,
            format!("{EL}/0/idShort"),
            take(format!("{EL}/0/idShort")),
        ),
        (
            "id-short-is-needed-in-collections",
            "REQUIRED_FIELD",
            Correct,
            format!("{EL}/5/value/1/idShort"),
            take(format!("{EL}/5/value/1/idShort")),
        ),
        (
            "id-short-is-needed-in-operations",
            "REQUIRED_FIELD",
            Correct,
            format!("{EL}/14/inputVariables/0/value/idShort"),
            take(format!("{EL}/14/inputVariables/0/value/idShort")),
        ),
        (
            "value-fits-its-type",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/1/max"),
            put(format!("{EL}/1/max"), json!("2,5")),
        ),
        (
            "value-fits-its-type",
            "TYPE_MISMATCH",
            Correct,
            format!("{AAS}/extensions/1/value"),
            put(format!("{AAS}/extensions/1/value"), json!("one")),
        ),
        (
            "value-is-not-empty",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/0/value"),
            put(format!("{EL}/0/value"), json!("")),
        ),
        (
            "extension-without-type-is-text",
            "TYPE_MISMATCH",
            Correct,
            format!("{AAS}/extensions/0/value"),
            put(format!("{AAS}/extensions/0/value"), json!("\u{1}")),
        ),
        (
            "blob-is-base64",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/2/value"),
            put(format!("{EL}/2/value"), json!("%%")),
        ),
        (
            "point-in-time-exists",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/15/lastUpdate"),
            put(format!("{EL}/15/lastUpdate"), json!("2023-02-29T00:00:00Z")),
        ),
        (
            "elements-are-of-the-listed-kind",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/7/value/2/modelType"),
            put(
                format!("{EL}/7/value/-"),
                json!({"modelType": "Blob", "contentType": "a/b", "semanticId": external("urn:can")}),
            ),
        ),
        (
            "elements-are-data-elements",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/7/value/0/modelType"),
            put(format!("{EL}/7/typeValueListElement"), json!("DataElement")),
        ),
        (
            "elements-are-events",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/7/value/0/modelType"),
            put(format!("{EL}/7/typeValueListElement"), json!("EventElement")),
        ),
        (
            "elements-are-relationships",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/7/value/0/modelType"),
            put(format!("{EL}/7/typeValueListElement"), json!("RelationshipElement")),
        ),
        (
            "list-of-values-names-their-type",
            "REQUIRED_FIELD",
            Correct,
            format!("{EL}/6/valueTypeListElement"),
            take(format!("{EL}/6/valueTypeListElement")),
        ),
        (
            "values-are-of-the-listed-type",
            "TYPE_MISMATCH",
            Correct,
            format!("{EL}/6/value/0/valueType"),
            put(format!("{EL}/6/value/0/valueType"), json!("xs:long")),
        ),
        (
            "reference-begins-with-something-global",
            reference,
            Correct,
            format!("{EL}/9/value/keys/0/type"),
            refer(&["Property:x"]),
        ),
        (
            "external-reference-begins-outside",
            reference,
            Correct,
            format!("{EL}/9/value/keys/0/type"),
            put(
                format!("{EL}/9/value/keys"),
                json!([{"type": "Submodel", "value": "u"}, {"type": "GlobalReference", "value": "v"}]),
            ),
        ),
        (
            "model-reference-begins-with-an-identifiable",
            reference,
            Correct,
            format!("{EL}/9/value/keys/0/type"),
            refer(&["GlobalReference:u"]),
        ),
        (
            "external-reference-ends-outside",
            reference,
            Correct,
            format!("{EL}/9/value/keys/1/type"),
            put(format!("{EL}/9/value/keys/-"), json!({"type": "Property", "value": "x"})),
        ),
        (
            "model-reference-goes-on-with-elements",
            reference,
            Correct,
            format!("{EL}/9/value/keys/1/type"),
            refer(&["Submodel:u", "Submodel:v"]),
        ),
        (
            "fragment-comes-last",
            reference,
            Correct,
            format!("{EL}/9/value/keys/2/type"),
            refer(&["Submodel:u", "File:f", "FragmentReference:p", "Property:x"]),
        ),
        (
            "fragment-is-of-a-file",
            reference,
            Correct,
            format!("{EL}/9/value/keys/1"),
            refer(&["Submodel:u", "FragmentReference:p"]),
        ),
        (
            "element-of-a-list-is-counted",
            reference,
            Correct,
            format!("{EL}/9/value/keys/2"),
            refer(&["Submodel:u", "SubmodelElementList:l", "Property:x"]),
        ),
        (
            "subject-is-external",
            reference,
            Correct,
            format!("{AAS}/assetInformation/specificAssetIds/1/externalSubjectId/type"),
            put(
                format!("{AAS}/assetInformation/specificAssetIds/1/externalSubjectId"),
                model(&["Submodel:u"]),
            ),
        ),
        (
            "shell-refers-to-submodels",
            reference,
            Correct,
            format!("{AAS}/submodels/0/keys/0/type"),
            put(format!("{AAS}/submodels/0"), model(&["ConceptDescription:urn:c"])),
        ),
        (
            "shell-is-derived-from-a-shell",
            reference,
            Correct,
            format!("{AAS}/derivedFrom/keys/0/type"),
            put(format!("{AAS}/derivedFrom"), model(&["Submodel:u"])),
        ),
        (
            "model-is-referred-to-as-model",
            reference,
            Correct,
            format!("{EL}/15/observed/type"),
            put(format!("{EL}/15/observed"), external("u")),
        ),
        (
            "submodels-are-referred-to-as-model",
            reference,
            Correct,
            format!("{AAS}/submodels/0/type"),
            put(format!("{AAS}/submodels/0/type"), json!("ExternalReference")),
        ),
        (
            "reference-resolves",
            reference,
            Correct,
            format!("{EL}/8/value/keys/2/value"),
            put(format!("{EL}/8/value/keys/2/value"), json!("z")),
        ),
        (
            "reference-resolves",
            reference,
            Correct,
            format!("{EL}/11/value/keys/2/value"),
            put(format!("{EL}/11/value/keys/2/value"), json!("1")),
        ),
        (
            "submodel-of-shell-is-here",
            "SUBMODEL_ELSEWHERE",
            Warn,
            format!("{AAS}/submodels/1/keys/0/value"),
            put(format!("{AAS}/submodels/-"), model(&["Submodel:urn:far"])),
        ),
        (
            "id-is-unique",
            violation,
            Escalate,
            "/submodels/1/id".to_owned(),
            put("/submodels/-".to_owned(), json!({"modelType": "Submodel", "id": "urn:s"})),
        ),
        ("id-short-is-unique", violation, Correct, format!("{EL}/16/idShort"), element(property("number"))),
        (
            "id-short-is-unique-in-collections",
            violation,
            Correct,
            format!("{EL}/5/value/2/idShort"),
            put(format!("{EL}/5/value/-"), property("x")),
        ),
        (
            "id-short-is-unique-in-operations",
            violation,
            Correct,
            format!("{EL}/14/outputVariables/0/value/idShort"),
            put(format!("{EL}/14/outputVariables/0/value/idShort"), json!("in")),
        ),
        (
            "qualifier-is-unique",
            violation,
            Correct,
            format!("{SM}/qualifiers/1/type"),
            put(format!("{SM}/qualifiers/-"), json!({"type": "q", "valueType": "xs:string"})),
        ),
        (
            "extension-is-unique",
            violation,
            Correct,
            format!("{AAS}/extensions/2/name"),
            put(format!("{AAS}/extensions/-"), json!({"name": "note"})),
        ),
        (
            "language-is-unique",
            violation,
            Correct,
            format!("{AAS}/description/1/language"),
            put(format!("{AAS}/description/-"), json!({"language": "en", "text": "again"})),
        ),
        (
            "language-of-a-value-is-unique",
            violation,
            Correct,
            format!("{EL}/4/value/2/language"),
            put(format!("{EL}/4/value/-"), json!({"language": "de", "text": "again"})),
        ),
        (
            "element-of-a-list-has-no-id-short",
            violation,
            Correct,
            format!("{EL}/6/value/0/idShort"),
            put(format!("{EL}/6/value/0/idShort"), json!("one")),
        ),
        (
            "range-is-not-empty",
            "SEMANTIC_VIOLATION",
            Escalate,
            format!("{EL}/1/min"),
            put(format!("{EL}/1/min"), json!("3")),
        ),
        (
            "elements-mean-what-the-list-says",
            "SEMANTIC_VIOLATION",
            Escalate,
            format!("{EL}/6/value/0/semanticId/keys"),
            put(format!("{EL}/6/value/0/semanticId"), external("urn:size")),
        ),
        (
            "elements-mean-the-same",
            "SEMANTIC_VIOLATION",
            Escalate,
            format!("{EL}/7/value/1"),
            put(format!("{EL}/7/value/1/semanticId"), external("urn:may")),
        ),
        (
            "category-is-known",
            violation,
            Correct,
            format!("{EL}/0/category"),
            put(format!("{EL}/0/category"), json!("FIXED")),
        ),
        (
            "input-events-have-no-max-interval",
            violation,
            Correct,
            format!("{EL}/15/maxInterval"),
            put(format!("{EL}/15/direction"), json!("input")),
        ),
        (
            "template-qualifiers-are-for-templates",
            violation,
            Escalate,
            format!("{SM}/qualifiers/0/kind"),
            put(format!("{SM}/qualifiers/0/kind"), json!("TemplateQualifier")),
        ),
        (
            "asset-has-an-id",
            violation,
            Escalate,
            format!("{AAS}/assetInformation"),
            put(format!("{AAS}/assetInformation"), json!({"assetKind": "Instance"})),
        ),
        (
            "self-managed-entity-has-an-id",
            violation,
            Escalate,
            format!("{EL}/12"),
            take(format!("{EL}/12/globalAssetId")),
        ),
        (
            "co-managed-entity-has-no-id",
            violation,
            Escalate,
            format!("{EL}/13/globalAssetId"),
            put(format!("{EL}/13/globalAssetId"), json!("urn:x")),
        ),
        (
            "global-asset-id-is-said-once",
            violation,
            Correct,
            format!("{AAS}/assetInformation/specificAssetIds/0/value"),
            put(format!("{AAS}/assetInformation/globalAssetId"), json!("urn:b")),
        ),
        (
            "revision-of-a-version",
            violation,
            Escalate,
            format!("{AAS}/administration/version"),
            take(format!("{AAS}/administration/version")),
        ),
        (
            "more-meanings-need-a-first",
            violation,
            Escalate,
            format!("{SM}/semanticId"),
            take(format!("{SM}/semanticId")),
        ),
        (
            "name-is-given-in-english",
            violation,
            Correct,
            format!("{IEC}/preferredName"),
            put(format!("{IEC}/preferredName/0/language"), json!("de")),
        ),
        (
            "concept-is-defined-in-english",
            violation,
            Escalate,
            IEC.to_owned(),
            take(format!("{IEC}/definition")),
        ),
        (
            "property-concept-has-a-type",
            violation,
            Escalate,
            IEC.to_owned(),
            put(format!("{IEC}/dataType"), json!("IRI")),
        ),
        (
            "reference-concept-has-a-type",
            violation,
            Escalate,
            IEC.to_owned(),
            json!([{"op": "add", "path": format!("{CD}/category"), "value": "REFERENCE"}, {"op": "replace", "path": format!("{IEC}/dataType"), "value": "FILE"}]),
        ),
        (
            "document-concept-has-a-type",
            violation,
            Escalate,
            IEC.to_owned(),
            put(format!("{CD}/category"), json!("DOCUMENT")),
        ),
        (
            "qualifier-concept-has-a-type",
            violation,
            Escalate,
            format!("{IEC}/dataType"),
            json!([{"op": "add", "path": format!("{CD}/category"), "value": "QUALIFIER_TYPE"}, {"op": "remove", "path": format!("{IEC}/dataType")}]),
        ),
        (
            "measure-has-a-unit",
            violation,
            Escalate,
            IEC.to_owned(),
            put(format!("{IEC}/dataType"), json!("REAL_MEASURE")),
        ),
        (
            "value-or-list-of-values",
            violation,
            Escalate,
            format!("{IEC}/value"),
            json!([{"op": "add", "path": format!("{IEC}/value"), "value": "v"}, {"op": "add", "path": format!("{IEC}/valueList"), "value": {"valueReferencePairs": [{"value": "v", "valueId": external("urn:v")}]}}]),
        ),
    ]
}

struct Bench {
    plan: Plan,
    text: String,
}

impl Bench {
    fn new() -> Self {
        let mut problems = Problems::new();
        let loaded = load("aas", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
        let plan = Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"));
        Bench { plan, text: document().to_string() }
    }

    fn assess(&self, patch: &Value) -> Assessment {
        let mut out = Assessment::default();
        let context = DocumentContext::named(&self.plan, "unknown", Some(&self.text));
        context.assess(&mut context.assessor(), patch, Given::default(), &mut out);
        out
    }
}

#[test]
fn a_document_with_something_of_everything_is_valid() {
    let found =
        Bench::new().assess(&json!([{"op": "test", "path": "/submodels/0/modelType", "value": "Submodel"}]));
    assert!(found.issues.is_empty(), "{:#?}", found.issues);
    assert!((found.overall - 1.0).abs() < 1e-9);
}

#[test]
fn each_edit_breaks_the_rule_that_it_should() {
    let bench = Bench::new();
    for (rule, code, disposition, path, patch) in cases() {
        let found = bench.assess(&patch);
        let hit = found.issues.iter().find(|issue| issue.rule.as_deref() == Some(rule) && issue.path == path);
        let hit = hit.unwrap_or_else(|| panic!("{rule} at {path}: {:#?}", found.issues));
        assert_eq!((hit.code.as_str(), hit.disposition), (code, disposition), "{rule}");
        // Validity is 1 without blocking issues, else the rules' score.
        let blocking = found.issues.iter().filter(|issue| issue.disposition != Disposition::Warn).count();
        let expected = (1.0 - 0.1 * blocking as f64).max(0.0);
        assert!((found.scores.get("validity").unwrap().get() - expected).abs() < 1e-9, "{rule}");
        // What follows from the same mistake may be found as well, but no other rule that asks a person.
        let others = found.issues.iter().filter(|issue| issue.rule.as_deref() != Some(rule));
        let escalated: Vec<_> = others.filter(|issue| issue.disposition == Disposition::Escalate).collect();
        assert!(escalated.is_empty(), "{rule}: {escalated:#?}");
    }
}

#[test]
fn every_rule_has_an_edit_that_breaks_it() {
    let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/aas.yaml")).unwrap();
    let declared: BTreeSet<&str> = file.lines().filter_map(|line| line.strip_prefix("  - id: ")).collect();
    let broken: BTreeSet<&str> = cases().iter().map(|case| case.0).collect();
    assert_eq!(declared.difference(&broken).collect::<Vec<_>>(), Vec::<&&str>::new());
}
