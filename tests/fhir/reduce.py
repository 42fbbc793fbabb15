"""Makes `bundle.schema.json` of HL7's `fhir.schema.json` (R4): `python3 reduce.py fhir.schema.json > bundle.schema.json`.

What a bundle of these four kinds of resources reaches is kept as it is, without the descriptions; every other resource is left
out, also of `ResourceList`.
"""

import json
import sys

KEPT = ["Bundle", "DiagnosticReport", "Observation", "Provenance"]


def references(part):
    if isinstance(part, dict):
        for key, value in part.items():
            if key == "$ref":
                yield value.rsplit("/", 1)[-1]
            else:
                yield from references(value)
    elif isinstance(part, list):
        for item in part:
            yield from references(item)


def without_descriptions(part):
    if isinstance(part, dict):
        is_text = lambda key, value: key == "description" and isinstance(value, str)
        return {key: without_descriptions(value) for key, value in part.items() if not is_text(key, value)}
    if isinstance(part, list):
        return [without_descriptions(item) for item in part]
    return part


whole = json.load(open(sys.argv[1], encoding="utf-8"))
definitions = whole["definitions"]
definitions["ResourceList"]["oneOf"] = [{"$ref": f"#/definitions/{name}"} for name in KEPT]
kept, waiting = set(), list(KEPT)
while waiting:
    name = waiting.pop()
    if name not in kept:
        kept.add(name)
        waiting += references(definitions[name])
reduced = {
    "$schema": whole["$schema"],
    "id": whole["id"],
    "$ref": "#/definitions/Bundle",
    "definitions": {name: without_descriptions(definitions[name]) for name in sorted(kept)},
}
print(json.dumps(reduced, indent=1, ensure_ascii=False))
