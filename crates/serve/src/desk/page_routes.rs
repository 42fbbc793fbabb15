//! The addresses of a document's file, and of the pictures and words of its pages.

use super::open_document::file_of;
use super::page_pictures::PictureScale;
use super::page_words::page_words;
use crate::access::{Identity, PartOfLoggedView};
use crate::api::ApiError;
use crate::blocking::on_blocking_thread;
use crate::state::Service;
use crate::store::DocumentKey;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;

/// Browsers keep a picture for one user, and ask each time whether it may still be shown.
const KEPT_PRIVATELY: HeaderValue = HeaderValue::from_static("private, no-cache");

/// The headers that keep a file from doing anything by itself, wherever it is opened.
const INERT: [(HeaderName, &str); 3] = [
    (header::CONTENT_DISPOSITION, "inline"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    ),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The seconds after which a picture for which there was no room is asked for again.
const RETRY_AFTER: u32 = 3;

/// The page of a document that an address names.
type PagePath = Path<(String, String, String)>;

/// The resolution that an address asks for.
#[derive(Deserialize)]
#[serde(default)]
pub(super) struct PictureQuery {
    scale: String,
}

impl Default for PictureQuery {
    fn default() -> Self {
        PictureQuery { scale: PictureScale::Pixels(2).name().to_owned() }
    }
}

/// The number of a page, from 1.
fn page_number(named: &str) -> Result<usize, ApiError> {
    let number = named.parse::<u16>().ok().filter(|number| *number > 0);
    number.map(usize::from).ok_or_else(|| ApiError::not_found("pages have numbers from 1"))
}

/// Marks an answer as part of a view, if its reviewer has opened the page of the document.
fn as_part_of_view(
    service: &Service,
    identity: &Identity,
    key: DocumentKey,
    mut response: Response,
) -> Response {
    if service.desk.views.has(&identity.name, key) {
        response.extensions_mut().insert(PartOfLoggedView);
    }
    response
}

/// The picture of a page.
pub(super) async fn page_picture(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document, page)): PagePath,
    Query(query): Query<PictureQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let page = page_number(&page)?;
    let Some(scale) = PictureScale::named(&query.scale) else {
        return Err(ApiError::bad_request("`scale` is none that pictures have")
            .help("expected `small`, or `1` to `4` pixels for a point"));
    };
    on_blocking_thread(move || {
        let (key, file) = file_of(&service, &run, &document)?;
        if file.document.pages.as_deref().is_some_and(|pages| page > pages.len()) {
            return Err(ApiError::not_found(format!("the document has no page {page}"))
                .help("its pages have numbers from 1"));
        }
        let tag = format!("\"{}-{page}-{}\"", file.digest, scale.name());
        let is_known =
            headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
        let tagged =
            [(header::ETAG, HeaderValue::from_str(&tag).ok()), (header::CACHE_CONTROL, Some(KEPT_PRIVATELY))];
        let mut response = if is_known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            let drawn = service.desk.pictures.draw(key, &file, page, scale).map_err(|_| {
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, format!("page {page} is not drawn yet"))
                    .help("the pages of other documents are being drawn; ask again")
                    .retry_after(RETRY_AFTER)
            })?;
            let picture = drawn.map_err(|why| {
                ApiError::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    format!("page {page} could not be drawn: {why}"),
                )
                .help("its text, as far as it has any, is shown as text")
            })?;
            let png = HeaderValue::from_static("image/png");
            ([(header::CONTENT_TYPE, png)], picture.to_vec()).into_response()
        };
        let headers = response.headers_mut();
        headers.extend(tagged.into_iter().filter_map(|(name, value)| Some((name, value?))));
        Ok::<_, ApiError>(as_part_of_view(&service, &identity, key, response))
    })
    .await
}

/// The words of a page, placed as they are on its picture.
pub(super) async fn words_of_page(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document, page)): PagePath,
) -> Result<Response, ApiError> {
    let page = page_number(&page)?;
    on_blocking_thread(move || {
        let (key, file) = file_of(&service, &run, &document)?;
        let text = file.document.text.as_ref().map_or("", |text| text.as_str());
        let pages = file.document.pages.as_deref();
        let found = pages.and_then(|pages| pages.iter().nth(page.saturating_sub(1)));
        let Some(found) = found else {
            return Err(ApiError::not_found(format!("the document has no words of a page {page}"))
                .help("its text is on the document's page"));
        };
        Ok(as_part_of_view(&service, &identity, key, page_words(found, text).into_response()))
    })
    .await
}

/// The bytes of the document, by the type that they are found to be. Text is on the document's page.
pub(super) async fn document_file(
    identity: Identity,
    State(service): State<Arc<Service>>,
    Path((run, document)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    on_blocking_thread(move || {
        let (key, file) = file_of(&service, &run, &document)?;
        let Some(media) = &file.document.media else {
            return Err(ApiError::not_found("the document is not an image or PDF")
                .help("text documents are shown on the document's page"));
        };
        let media_type = [(header::CONTENT_TYPE, media.media_type())];
        let response = (media_type, INERT, media.bytes().to_vec()).into_response();
        Ok(as_part_of_view(&service, &identity, key, response))
    })
    .await
}
