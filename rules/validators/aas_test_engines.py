"""Asks aas-test-engines (PyPI, Apache-2.0) about an Asset Administration Shell.

Standard input: {"document_type", "candidate", "subject"}; the subject is the patched document.
Standard output: {"stages": [{"name", "passed", "issues": [{"code", "severity", "path", "message", "auto_fixable"}]}]}. The
stages are `structure`, `constraints` and `templates`; one that did not run because an earlier one failed is left out. Without
the package: {"unavailable": why}.
"""

import json
import re
import sys

# Constraints of the metamodel, by who can put them right; all others are CONSTRAINT_VIOLATION.
REFERENCES = {"121", "122", "123", "124", "125", "126", "127", "128", "133"}
MEANING = {"107", "114"}
TYPES = {"108", "109"}
REQUIRED = {"117"}
FIXABLE = {"002", "021", "022", "077", "090", "116", "120", "130", "134"}
MOST_ISSUES = 200


def code_of(message):
    """The code of a message, and whether the document itself says what would be right."""
    number = re.match(r"(?:Constraint )?AASd-(\d+)", message)
    number = number.group(1) if number else None
    if number in REFERENCES or "model reference" in message:
        return "INVALID_REFERENCE", False
    if number in MEANING:
        return "SEMANTIC_VIOLATION", False
    if number in TYPES or message.startswith(("Cannot convert", "Expected an object", "Not ")) or "is not a 'xs:" in message:
        return "TYPE_MISMATCH", False
    if number in REQUIRED or message.startswith(("Missing", "Model typ missing")):
        return "REQUIRED_FIELD", False
    fixable = number in FIXABLE or message.startswith(
        ("Unknown additional attribute", "Empty array", "String is shorter", "Invalid model type", "Wrong model type")
    )
    return "CONSTRAINT_VIOLATION", fixable or "does not match pattern" in message


def pointer(path):
    """`/submodels/0/submodel_elements/1` as it is in JSON: `/submodels/0/submodelElements/1`."""
    return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), path)


def issues_of(result, code=None):
    """The leaves of a result that are not all right."""
    if result.sub_results:
        return [issue for part in result.sub_results for issue in issues_of(part, code)]
    if result.level.name == "INFO":
        return []
    message, _, path = result.message.rpartition(" @ ")
    if not message or not path.startswith("/"):
        message, path = result.message, ""
    found, fixable = (code, False) if code else code_of(message)
    if result.level.name == "WARNING":
        found = "TEST_ENGINES_WARNING"
    severity = {"WARNING": "minor", "ERROR": "major"}.get(result.level.name, "critical")
    issue = {"code": found, "severity": severity, "path": pointer(path), "message": message[:1000]}
    return [{**issue, "auto_fixable": True}] if fixable else [issue]


def stage(name, result, code=None):
    return {"name": name, "passed": result.ok(), "issues": issues_of(result, code)[:MOST_ISSUES]}


def answer(request):
    try:
        from aas_test_engines.file import check_json_data
    except ImportError:
        return {"unavailable": "aas-test-engines is not installed; pip install aas-test-engines"}
    subject = request["subject"]
    is_event = isinstance(subject, dict) and any(
        key in subject for key in ("source", "observableReference", "timeStamp")
    )
    if is_event:
        return {"unavailable": "aas-test-engines does not check event payloads"}
    stages = []
    # The engine's own results: the metamodel, then the constraints, then one for each submodel with a known template.
    parts = check_json_data(subject).sub_results
    if parts:
        stages.append(stage("structure", parts[0]))
    if stages and stages[0]["passed"] and len(parts) > 1:
        stages.append(stage("constraints", parts[1]))
        if stages[1]["passed"]:
            templates = [stage("templates", part, "SUBMODEL_TEMPLATE") for part in parts[2:]]
            issues = [issue for one in templates for issue in one["issues"]][:MOST_ISSUES]
            stages.append({"name": "templates", "passed": all(one["passed"] for one in templates), "issues": issues})
    return {"stages": stages}


if __name__ == "__main__":
    # What the engine prints must not get into the answer.
    output, sys.stdout = sys.stdout, sys.stderr
    json.dump(answer(json.load(sys.stdin)), output)
