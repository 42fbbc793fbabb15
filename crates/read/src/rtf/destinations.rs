//! Destinations of an RTF file: control words that say what the text of their group is.

use super::state::Destination;

/// Destinations without text that anyone sees.
const UNSEEN: [&str; 44] = [
    "info",
    "pict",
    "object",
    "objdata",
    "objclass",
    "objname",
    "fldinst",
    "datafield",
    "nonshppict",
    "shppict",
    "shprslt",
    "annotation",
    "atnid",
    "atnauthor",
    "atnref",
    "atrfstart",
    "atrfend",
    "bkmkstart",
    "bkmkend",
    "xe",
    "tc",
    "tcn",
    "rxe",
    "listtable",
    "listoverridetable",
    "revtbl",
    "rsidtbl",
    "generator",
    "template",
    "themedata",
    "colorschememapping",
    "datastore",
    "latentstyles",
    "nesttableprops",
    "nonesttables",
    "upr",
    "ftnsep",
    "ftnsepc",
    "aftnsep",
    "aftnsepc",
    "private",
    "filetbl",
    "pgptbl",
    "xmlnstbl",
];

/// The destination that a control word begins; `None` if it begins none.
pub(super) fn destination(word: &str, is_optional: bool, outer: Destination) -> Option<Destination> {
    let is_unseen = outer == Destination::Nowhere;
    Some(match word {
        "fonttbl" => Destination::Fonts,
        "colortbl" => Destination::Colors,
        "stylesheet" => Destination::Styles,
        // The fields of forms are in the instructions of fields.
        "formfield" if is_unseen => Destination::FormField,
        // The same text as the group before it, in Unicode.
        "ud" => Destination::Body,
        "result" if is_unseen => Destination::Body,
        "shpinst" | "do" if !is_unseen => Destination::Shape,
        "shptxt" | "dptxbxtext" if outer == Destination::Shape => Destination::Body,
        _ if is_unseen => return None,
        "listtext" | "pntext" => Destination::ListText,
        "footnote" => Destination::Note,
        "footer" | "footerl" | "footerr" | "footerf" => Destination::Footer,
        "header" | "headerl" | "headerr" | "headerf" => Destination::Header,
        word if UNSEEN.contains(&word) || is_optional => Destination::Nowhere,
        _ => return None,
    })
}
