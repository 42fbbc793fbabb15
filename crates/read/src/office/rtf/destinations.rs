//! Destinations of an RTF file: control words that say what the text of their group is.

use super::state::RtfDestination;

/// Destinations without text that anyone sees.
const UNSEEN: [&str; 42] = [
    "info",
    "object",
    "objdata",
    "objclass",
    "objname",
    "fldinst",
    "datafield",
    "nonshppict",
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
pub(super) fn destination(word: &str, is_optional: bool, outer: RtfDestination) -> Option<RtfDestination> {
    let is_unseen = outer == RtfDestination::Nowhere;
    Some(match word {
        "fonttbl" => RtfDestination::Fonts,
        "colortbl" => RtfDestination::Colors,
        "stylesheet" => RtfDestination::Styles,
        // The fields of forms are in the instructions of fields.
        "formfield" if is_unseen => RtfDestination::FormField,
        // The same text as the group before it, in Unicode.
        "ud" => RtfDestination::Body,
        "result" if is_unseen => RtfDestination::Body,
        "shpinst" | "do" | "shppict" if !is_unseen => RtfDestination::Shape,
        "shptxt" | "dptxbxtext" if outer == RtfDestination::Shape => RtfDestination::Body,
        _ if is_unseen => return None,
        "pict" => RtfDestination::Picture,
        "listtext" | "pntext" => RtfDestination::ListText,
        "footnote" => RtfDestination::Note,
        "footer" | "footerl" | "footerr" | "footerf" => RtfDestination::Footer,
        "header" | "headerl" | "headerr" | "headerf" => RtfDestination::Header,
        word if UNSEEN.contains(&word) || is_optional => RtfDestination::Nowhere,
        _ => return None,
    })
}
