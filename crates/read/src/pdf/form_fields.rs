//! Fields of a form: their values where nothing draws them, or where what is drawn is not up to date.

use super::placed_value::PlacedValue;
use super::text_string::text_of_object;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};

/// Flags of fields.
const IS_MULTILINE: u32 = 1 << 12;
const IS_PASSWORD: u32 = 1 << 13;
const IS_BUTTON: u32 = 1 << 16;
/// The most fields of which a field is part.
const DEEPEST: usize = 32;
/// The most values of a field.
const MOST_VALUES: usize = 1_000;

const TICKED: &str = "\u{2612}";
const UNTICKED: &str = "\u{2610}";

/// The form of a file.
#[derive(Debug, Default)]
pub(super) struct FormFields {
    /// `true` if what draws its fields is to be made anew from their values.
    is_outdated: bool,
    /// `true` if the form is drawn by a language of its own, and the pages are a substitute.
    pub(super) is_dynamic: bool,
    /// The size of its text.
    size: Option<f64>,
}

/// The value of a field in place of its appearance.
pub(super) enum FieldValue {
    Text(PlacedValue),
    /// One that is not shown.
    Secret,
}

impl FormFields {
    /// The form that the catalog of a file names.
    pub(super) fn of(catalog: &Dict<'_>) -> Self {
        let Some(form) = catalog.get::<Dict<'_>>(b"AcroForm") else { return FormFields::default() };
        let has_fields =
            form.get::<Array<'_>>(b"Fields").is_some_and(|fields| fields.raw_iter().next().is_some());
        let needs_rendering = catalog.get::<bool>(b"NeedsRendering").unwrap_or(false);
        FormFields {
            is_outdated: form.get::<bool>(b"NeedAppearances").unwrap_or(false),
            is_dynamic: form.contains_key(b"XFA") && (needs_rendering || !has_fields),
            size: size_in(&form),
        }
    }

    /// The size of the text of an annotation; `None` if it is made to fit.
    pub(super) fn size_of(&self, annotation: &Dict<'_>) -> Option<f64> {
        inherited(annotation, |field| size_in(field)).or(self.size).filter(|size| *size > 0.0)
    }

    /// The value that a widget shows; `None` if its appearance shows it.
    pub(super) fn value_of(&self, widget: &Dict<'_>, has_appearance: bool) -> Option<FieldValue> {
        let flags = inherited(widget, |field| field.get::<u32>(b"Ff")).unwrap_or(0);
        let kind = inherited(widget, |field| field.get::<Name<'_>>(b"FT"))?;
        let is_drawn = has_appearance && !self.is_outdated;
        let is_multiline = flags & IS_MULTILINE != 0;
        let text = match kind.as_ref() {
            b"Btn" if flags & IS_BUTTON == 0 => tick(widget).to_owned(),
            b"Btn" if !has_appearance => {
                text_of_object(widget.get::<Dict<'_>>(b"MK")?.get::<Object<'_>>(b"CA")?)?
            }
            b"Tx" if flags & IS_PASSWORD != 0 => return Some(FieldValue::Secret),
            b"Tx" if !is_drawn => inherited(widget, |field| text_of_object(field.get::<Object<'_>>(b"V")?))?,
            b"Ch" if !is_drawn => chosen(widget)?,
            _ => return None,
        };
        Some(FieldValue::Text(PlacedValue { text, is_multiline, size: self.size_of(widget) }))
    }
}

/// The sign of a box that is ticked or not.
fn tick(widget: &Dict<'_>) -> &'static str {
    let is_on = |state: Name<'_>| state.as_ref() != b"Off";
    let state = widget.get::<Name<'_>>(b"AS");
    let state = state.or_else(|| inherited(widget, |field| field.get::<Name<'_>>(b"V")));
    if state.is_some_and(is_on) { TICKED } else { UNTICKED }
}

/// The values that are chosen in a field, as its options show them.
fn chosen(widget: &Dict<'_>) -> Option<String> {
    let options = inherited(widget, |field| field.get::<Array<'_>>(b"Opt"));
    let value = inherited(widget, |field| field.get::<Object<'_>>(b"V"))?;
    let values = match value {
        Object::Array(several) => several.iter::<Object<'_>>().take(MOST_VALUES).collect(),
        one => vec![one],
    };
    let shown = |value: Object<'_>| {
        let value = text_of_object(value)?;
        let option = options.as_ref().and_then(|options| shown_as(options, &value));
        Some(option.unwrap_or(value))
    };
    Some(values.into_iter().filter_map(shown).collect::<Vec<_>>().join("\n"))
}

/// The text of the option that has this value.
fn shown_as(options: &Array<'_>, value: &str) -> Option<String> {
    options.iter::<Object<'_>>().take(MOST_VALUES).find_map(|option| {
        let pair = option.into_array()?;
        let mut pair = pair.iter::<Object<'_>>();
        (text_of_object(pair.next()?)? == value).then(|| text_of_object(pair.next()?)).flatten()
    })
}

/// The size that the default appearance of a field names.
fn size_in(field: &Dict<'_>) -> Option<f64> {
    let appearance = field.get::<PdfString<'_>>(b"DA")?;
    let text = String::from_utf8_lossy(&appearance).into_owned();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let size = words.iter().rposition(|word| *word == "Tf").and_then(|at| words.get(at.checked_sub(1)?))?;
    size.parse().ok().filter(|size: &f64| size.is_finite())
}

/// The first entry that is found in a field, or in one of those of which it is part.
fn inherited<'a, T>(field: &Dict<'a>, entry: impl Fn(&Dict<'a>) -> Option<T>) -> Option<T> {
    let mut field = field.clone();
    for _ in 0..DEEPEST {
        if let Some(found) = entry(&field) {
            return Some(found);
        }
        field = field.get::<Dict<'a>>(b"Parent")?;
    }
    None
}
