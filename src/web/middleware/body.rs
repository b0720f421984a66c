//! A body that is not read to its end ends its connection.
//!
//! The server would go on reading the rest of a body of unknown length (one in chunks) to keep the
//! connection for the next request, however slowly the rest comes: whoever sends without end, or falls
//! silent, would hold it for ever. It does so as soon as nobody can read the body any more. So the body
//! lives as long as its answer, and the server, seeing it unread, closes after it.

use std::{
    cell::RefCell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_web::{
    HttpMessage,
    body::{BodySize, MessageBody},
    dev::{Payload, ServiceRequest, ServiceResponse},
    error::PayloadError,
    http::header::TRANSFER_ENCODING,
    middleware::Next,
    web::Bytes,
};
use futures_util::Stream;

/// The body of a request, for several who read on where the other stopped.
#[derive(Clone)]
pub(in crate::web) struct Shared(Rc<RefCell<Payload>>);

impl Shared {
    pub(in crate::web) fn new(body: Payload) -> Self {
        Self(Rc::new(RefCell::new(body)))
    }
}

impl Stream for Shared {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(cx)
    }
}

/// An answer's body that keeps the request's one.
struct Keeping<B> {
    body: Pin<Box<B>>,
    _request: Option<Shared>,
}

impl<B: MessageBody> MessageBody for Keeping<B> {
    type Error = B::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        self.body.as_mut().poll_next(cx)
    }
}

/// Lets the body of a request in chunks live as long as its answer.
pub(in crate::web) async fn keep(
    mut req: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let request = req.headers().contains_key(TRANSFER_ENCODING).then(|| {
        let shared = Shared::new(req.take_payload());
        req.set_payload(Payload::Stream { payload: Box::pin(shared.clone()) });
        shared
    });
    let answer = next.call(req).await?;
    Ok(answer.map_body(|_, body| Keeping { body: Box::pin(body), _request: request }))
}
