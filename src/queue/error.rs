//! What can go wrong with the queue, and what that means for the caller.

use std::time::Duration;

use crate::sale::error::Class;

/// A failure to speak with the broker.
#[derive(Debug, Clone, thiserror::Error)]
pub enum QueueError {
    /// The address or the prefix of the names cannot be used; nothing was tried.
    #[error("{0}")]
    Settings(String),
    /// The broker refused, or the connection or channel was lost.
    #[error("could not {step}: {reason}")]
    Broker {
        /// What was being done, as a verb.
        step: &'static str,
        /// What the client library says about it.
        #[source]
        reason: lapin::Error,
    },
    /// No answer in time. What was asked for may still happen.
    #[error("could not {step} within {bound:?}")]
    TimedOut {
        /// What was being done, as a verb.
        step: &'static str,
        /// How long was waited.
        bound: Duration,
    },
    /// The broker ended the consumer, for example because the queue was deleted.
    #[error("the broker has ended the consumer")]
    ConsumerEnded,
    /// The message cannot be acknowledged any more: its channel is gone. It will be delivered again.
    #[error("the message's channel is gone, it will be delivered again")]
    DeliveryGone,
}

impl QueueError {
    pub(super) fn broker(step: &'static str, reason: lapin::Error) -> Self {
        Self::Broker { step, reason }
    }

    /// What the failure means for the caller. Nothing that happens to a connection is for ever, so
    /// all but unusable settings is worth another try.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::Settings(_) => Class::Bug,
            _ => Class::Retry,
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Settings(_) => "settings",
            Self::Broker { .. } if self.refused_access() => "access_refused",
            Self::Broker { reason, .. } if unparsable(reason) => "unparsable",
            Self::Broker { .. } => "broker",
            Self::TimedOut { .. } => "timed_out",
            Self::ConsumerEnded => "consumer_ended",
            Self::DeliveryGone => "delivery_gone",
        }
    }

    fn refused_access(&self) -> bool {
        self.reply_code() == Some(REPLY_ACCESS_REFUSED)
    }

    /// Whether a declaration was refused because of its arguments.
    pub(super) fn refused_arguments(&self) -> bool {
        self.reply_code() == Some(REPLY_PRECONDITION_FAILED)
    }

    fn reply_code(&self) -> Option<u16> {
        match self {
            Self::Broker { reason, .. } => match reason.kind() {
                lapin::ErrorKind::ProtocolError(error) => Some(error.get_id()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Whether the client library could not take apart what the broker sent. A message whose name-like
/// properties are not UTF-8 does this, each time it is delivered; nothing that we publish is like that,
/// but it has to be taken out of the queue by hand.
fn unparsable(reason: &lapin::Error) -> bool {
    matches!(reason.kind(), lapin::ErrorKind::ParsingError(_))
}

// Reply codes of AMQP 0-9-1.
const REPLY_ACCESS_REFUSED: u16 = 403;
const REPLY_PRECONDITION_FAILED: u16 = 406;

/// Why a message is not known to be safe in the broker. Publishing it again is always right.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PublishError {
    /// It was not sent: no channel could be had.
    #[error("not sent: {0}")]
    NotSent(#[source] QueueError),
    /// The channel was lost before the confirm came; the broker may have the message.
    #[error("lost the channel before the confirm: {0}")]
    Lost(#[source] lapin::Error),
    /// The confirm did not come in time; the broker may have the message.
    #[error("not confirmed within {0:?}")]
    Unconfirmed(Duration),
    /// The broker said that it could not take the message.
    #[error("the broker could not take the message")]
    Nacked,
    /// There is no queue behind the exchange; it will be made again before the next try.
    #[error("no queue for the message")]
    Unroutable,
}

impl PublishError {
    /// What the failure means for the caller.
    #[must_use]
    pub fn class(&self) -> Class {
        match self {
            Self::NotSent(error) => error.class(),
            Self::Lost(_) | Self::Unconfirmed(_) => Class::Unknown,
            Self::Nacked | Self::Unroutable => Class::Retry,
        }
    }

    /// A short word for metrics.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::NotSent(_) => "not_sent",
            Self::Lost(_) => "lost",
            Self::Unconfirmed(_) => "unconfirmed",
            Self::Nacked => "nacked",
            Self::Unroutable => "unroutable",
        }
    }
}
