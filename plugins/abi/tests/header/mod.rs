//! Renders the C header from the crate's source: the declarations there are few and regular, so a line reader does. It
//! panics on anything that it doesn't know, so nothing can be left out silently.

use std::fmt::Write;

/// The header for `source`, the text of `src/lib.rs`.
pub(crate) fn render(source: &str) -> String {
    let mut out = String::from(HEAD);
    let mut docs: Vec<&str> = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim());
        } else if let Some(title) = line.strip_prefix("// ---- ") {
            write!(out, "\n/* ---- {title} ---- */\n").unwrap();
        } else if let Some(rest) = line.strip_prefix("pub const ") {
            if let Some(define) = constant(rest) {
                comment(&mut out, "", &docs);
                out.push_str(&define);
            }
            docs.clear();
        } else if let Some(rest) = line.strip_prefix("pub type ") {
            comment(&mut out, "", &docs);
            out.push_str(&alias(rest));
            docs.clear();
        } else if let Some(rest) = line.strip_prefix("pub struct ") {
            comment(&mut out, "", &docs);
            docs.clear();
            let name = rest.trim_end_matches(" {");
            writeln!(out, "typedef struct {name} {{").unwrap();
            fields(&mut out, &mut lines);
            writeln!(out, "}} {name};\n").unwrap();
        } else if !line.starts_with('#') && !line.is_empty() {
            docs.clear();
        }
    }
    out.push_str(TAIL);
    out
}

fn fields<'a>(out: &mut String, lines: &mut impl Iterator<Item = &'a str>) {
    let mut docs = Vec::new();
    let mut field = String::new();
    for line in lines {
        let line = line.trim();
        if line == "}" {
            return;
        }
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim());
            continue;
        }
        if !field.is_empty() && !field.ends_with(['(', '<']) {
            field.push(' ');
        }
        field.push_str(line);
        // A field written over several lines ends where its brackets close.
        if !line.ends_with(',') || field.matches('<').count() > field.replace("->", "").matches('>').count() {
            continue;
        }
        comment(out, "    ", &docs);
        let flat = field.replace(", )", ")").replace(", >", ">");
        let (name, kind) = flat.trim_start_matches("pub ").trim_end_matches(',').split_once(": ").unwrap();
        writeln!(out, "    {};", declare(kind, name)).unwrap();
        docs.clear();
        field.clear();
    }
}

fn comment(out: &mut String, indent: &str, docs: &[&str]) {
    let text = docs.join(&format!("\n{indent} * "));
    writeln!(out, "{indent}/* {text} */").unwrap();
}

/// `None` for what can't be a macro in C: the header's tail has these, written manually.
fn constant(rest: &str) -> Option<String> {
    let (name, rest) = rest.split_once(": ").unwrap();
    let (kind, value) = rest.trim_end_matches(';').split_once(" = ").unwrap();
    let value = match kind {
        "u32" => format!("{value}u"),
        "usize" => format!("((size_t){value})"),
        "lc_status" => format!("((lc_status){value})"),
        "&str" | "[u8; 16]" => return None,
        _ => panic!("no C for the constant {name}: {kind}"),
    };
    Some(format!("#define {name} {value}\n"))
}

fn alias(rest: &str) -> String {
    let (name, kind) = rest.trim_end_matches(';').split_once(" = ").unwrap();
    if kind.starts_with("unsafe extern") {
        return format!(
            "{LINKAGE}{};\n\n",
            declare(kind, "loopctl_plugin_v1").replacen("(*loopctl_plugin_v1)", "loopctl_plugin_v1", 1)
        );
    }
    format!("typedef {};\n", declare(kind, name))
}

/// `kind name`, in C.
fn declare(kind: &str, name: &str) -> String {
    let kind = kind.trim().trim_end_matches(',').trim();
    if let Some(inner) = kind.strip_prefix("Option<") {
        return declare(inner.strip_suffix('>').unwrap(), name);
    }
    if let Some(signature) = kind.strip_prefix("unsafe extern \"C\" fn(") {
        let (params, result) = signature.split_once(')').unwrap();
        let params: Vec<String> = params
            .split(", ")
            .map(|param| {
                let (name, kind) = param.split_once(": ").unwrap();
                declare(kind, name)
            })
            .collect();
        let function = format!("(*{name})({})", params.join(", "));
        return match result.trim().strip_prefix("-> ") {
            Some(result) => declare(result, &function),
            None => format!("void {function}"),
        };
    }
    if let Some(inner) = kind.strip_prefix("*mut ") {
        return declare(inner, &format!("*{name}"));
    }
    if let Some(inner) = kind.strip_prefix("*const ") {
        return format!("const {}", declare(inner, &format!("*{name}")));
    }
    let kind = match kind {
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i32" => "int32_t",
        "usize" => "size_t",
        "c_void" => "void",
        // `drop` names its own struct, whose typedef isn't complete there.
        "lc_buf" if name == "*buf" => "struct lc_buf",
        own if own.starts_with("lc_") => own,
        _ => panic!("no C for the type {kind}"),
    };
    format!("{kind} {name}")
}

const HEAD: &str = r#"/* The boundary between loopctl and its provider plugins.
 * Generated from plugins/abi/src/lib.rs by `LOOPCTL_UPDATE=1 cargo test -p loopctl-plugin-abi`; don't edit.
 *
 * A plugin is a shared library that exports one function, `loopctl_plugin_v1`, and holds one manifest (LC_MANIFEST).
 * Payloads are UTF-8 JSON; loopctl_payloads.schema.json describes them. Native plugins are trusted code: loopctl contains a call
 * that fails, hangs or answers nonsense, but not one that corrupts memory. */
#ifndef LOOPCTL_PLUGIN_H
#define LOOPCTL_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
"#;

const LINKAGE: &str = r#"#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
"#;

const TAIL: &str = r#"
/* Put LC_MANIFEST("{...}"); once at file level, and LC_MANIFEST_SLICE (in a static table: LC_MANIFEST_SLICE_INIT) into
 * lc_plugin_v1.manifest. It lays down 16 magic
 * bytes, the length of the JSON as four bytes (least significant first), and the JSON, so that the host reads a
 * manifest from the library's file without running it. */
#if defined(__GNUC__)
#define LC_KEEP __attribute__((used))
#else
#define LC_KEEP
#endif
#define LC_MANIFEST(json)                                                                                     \
    LC_KEEP static const struct {                                                                             \
        uint8_t magic[16], length[4];                                                                         \
        char text[sizeof(json)];                                                                              \
    } lc_manifest_blob = { { 0x89, 'L', 'O', 'O', 'P', 'C', 'T', 'L', '-', 'M', 'A', 'N', 'I', 'F', '1', '\n' }, \
                           { (sizeof(json) - 1) & 0xff, ((sizeof(json) - 1) >> 8) & 0xff,                     \
                             ((sizeof(json) - 1) >> 16) & 0xff, ((sizeof(json) - 1) >> 24) & 0xff },          \
                           json }
#define LC_MANIFEST_SLICE_INIT { (const uint8_t *)lc_manifest_blob.text, sizeof(lc_manifest_blob.text) - 1 }
#define LC_MANIFEST_SLICE ((lc_slice)LC_MANIFEST_SLICE_INIT)

#ifdef __cplusplus
}
#endif
#endif
"#;
