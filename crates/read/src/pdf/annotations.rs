//! Annotations of a page as they are seen: form fields, stamps, text written on it. Comments that open by a click are
//! not seen.

use super::attachments::Attachments;
use super::form_fields::{FieldValue, FormFields};
use super::glyphs::GlyphCollector;
use super::placed_value::PlacedValue;
use super::text_string::text_of_object;
use hayro_interpret::hayro_syntax::content::TypedIter;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Rect as PdfRect, Stream};
use hayro_interpret::hayro_syntax::page::{Page as PdfPage, Resources};
use hayro_interpret::kurbo::{Affine, Rect, Shape};
use hayro_interpret::{Context, interpret};
use std::fmt::Write as _;

/// Flags of annotations that are not shown.
const HIDDEN: u32 = 1 << 1;
const NO_VIEW: u32 = 1 << 5;
/// Kinds of annotations that show at most an icon; their text opens by a click.
const ICONS: [&[u8]; 4] = [b"Popup", b"Text", b"FileAttachment", b"Sound"];
/// The steps that an annotation takes, besides those of what it draws.
const STEPS: u64 = 1_000;

/// A page whose annotations are drawn.
pub(super) struct AnnotatedPage<'p, 'a> {
    pub(super) page: &'p PdfPage<'a>,
    pub(super) to_page: Affine,
    pub(super) fields: &'p FormFields,
}

impl<'a> AnnotatedPage<'_, 'a> {
    /// Draws the annotations that are seen, and notes the files that others hold.
    pub(super) fn draw(
        &self,
        context: &mut Context<'a>,
        collector: &mut GlyphCollector<'_>,
        attachments: &mut Attachments,
    ) {
        let Some(annotations) = self.page.raw().get::<Array<'_>>(b"Annots") else { return };
        for annotation in annotations.iter::<Dict<'_>>() {
            collector.take_steps(STEPS);
            let kind = annotation.get::<Name<'_>>(b"Subtype");
            if let Some(file) = annotation.get::<Dict<'_>>(b"FS") {
                attachments.note(&file);
            }
            // It may be drawn though it is not read.
            if annotation.contains_key(b"AP") {
                collector.is_drawn_over();
            }
            let flags = annotation.get::<u32>(b"F").unwrap_or(0);
            let is_icon = kind.as_ref().is_some_and(|kind| ICONS.contains(&kind.as_ref()));
            if is_icon || flags & (HIDDEN | NO_VIEW) != 0 {
                continue;
            }
            let Some(rect) = annotation.get::<PdfRect>(b"Rect") else { continue };
            let rect = Rect::new(rect.x0, rect.y0, rect.x1, rect.y1);
            match self.text_of(&annotation, kind.as_ref().map(AsRef::as_ref)) {
                None => self.draw_appearance(&annotation, rect, context, collector),
                Some(value) => collector.place(value.glyphs(rect, self.to_page)),
            }
        }
    }

    /// The text that an annotation shows in place of its appearance.
    fn text_of(&self, annotation: &Dict<'a>, kind: Option<&[u8]>) -> Option<PlacedValue> {
        let has_appearance = appearance(annotation).is_some();
        match kind {
            Some(b"Widget") => match self.fields.value_of(annotation, has_appearance)? {
                FieldValue::Text(value) => Some(value),
                FieldValue::Secret => Some(PlacedValue::default()),
            },
            Some(b"FreeText") if !has_appearance => {
                let text = text_of_object(annotation.get::<Object<'_>>(b"Contents")?)?;
                Some(PlacedValue { text, is_multiline: true, size: self.fields.size_of(annotation) })
            }
            Some(_) | None => None,
        }
    }

    /// Draws the appearance of an annotation into its rectangle.
    fn draw_appearance(
        &self,
        annotation: &Dict<'a>,
        rect: Rect,
        context: &mut Context<'a>,
        collector: &mut GlyphCollector<'_>,
    ) {
        let Some(Appearance { form, name, holder }) = appearance(annotation) else { return };
        let dict = form.dict();
        let matrix = Affine::new(dict.get::<[f64; 6]>(b"Matrix").unwrap_or(Affine::IDENTITY.as_coeffs()));
        let Some(to_rect) = to_rect(dict, matrix, rect) else { return };
        let mut resources = self.page.resources().clone();
        let content = if dict.get::<Name<'_>>(b"Subtype").is_some() {
            // The layer on which it lies is a property of the annotation itself.
            (resources.properties, resources.x_objects) = (annotation.clone(), holder);
            format!("/OC /OC BDC q {} /{} Do Q EMC", placed(to_rect), escaped(&name)).into_bytes()
        } else {
            // It is a form and does not say so.
            if let Some(of_form) = dict.get::<Dict<'_>>(b"Resources") {
                resources = Resources::new(of_form);
            }
            let drawn = form.decoded_data().unwrap_or_default();
            [format!("q {} ", placed(to_rect * matrix)).as_bytes(), &drawn, b" Q"].concat()
        };
        interpret(TypedIter::new(&content), &resources, context, collector);
    }
}

/// The form that draws an annotation.
struct Appearance<'a> {
    form: Stream<'a>,
    name: Vec<u8>,
    /// The dictionary that has it by its name.
    holder: Dict<'a>,
}

fn appearance<'a>(annotation: &Dict<'a>) -> Option<Appearance<'a>> {
    let all = annotation.get::<Dict<'_>>(b"AP")?;
    match all.get::<Object<'_>>(b"N")? {
        Object::Stream(form) => Some(Appearance { form, name: b"N".to_vec(), holder: all }),
        Object::Dict(states) => {
            let state =
                annotation.get::<Name<'_>>(b"AS").map_or_else(|| b"Off".to_vec(), |state| state.to_vec());
            let form = states.get::<Stream<'_>>(&state)?;
            Some(Appearance { form, name: state, holder: states })
        }
        _ => None,
    }
}

/// The way from an appearance, after its own matrix, into the rectangle of its annotation (ISO 32000, 12.5.5).
fn to_rect(form: &Dict<'_>, matrix: Affine, rect: Rect) -> Option<Affine> {
    let [x0, y0, x1, y1] = form.get::<[f64; 4]>(b"BBox")?;
    let seen = (matrix * Rect::new(x0, y0, x1, y1).to_path(0.1)).bounding_box();
    let (x, y) = (rect.width() / seen.width(), rect.height() / seen.height());
    let to_rect = Affine::new([x, 0.0, 0.0, y, rect.x0 - x * seen.x0, rect.y0 - y * seen.y0]);
    to_rect.is_finite().then_some(to_rect)
}

/// The operator that places what follows it.
fn placed(transform: Affine) -> String {
    let [a, b, c, d, e, f] = transform.as_coeffs();
    format!("{a:.6} {b:.6} {c:.6} {d:.6} {e:.6} {f:.6} cm")
}

/// A name as it is written.
fn escaped(name: &[u8]) -> String {
    name.iter().fold(String::new(), |mut written, byte| {
        if byte.is_ascii_alphanumeric() {
            written.push(char::from(*byte));
        } else {
            // Writing to a string never fails.
            let _ = write!(written, "#{byte:02X}");
        }
        written
    })
}
