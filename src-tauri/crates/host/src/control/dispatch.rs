//! From a method's name to its handler. The list stands in the contract: a method without a handler does not compile.

use super::{Control, Handle};
use crate::ask::FaceId;
use postern_contract::methods::{self, ControlCode, ControlError, Method};
use postern_contract::with_methods;
use postern_store::audit;
use serde_json::Value;
use std::sync::Arc;

macro_rules! dispatch {
    ($($(#[$doc:meta])+ $marker:ident $name:literal $field:ident ($params:ty) -> $result:ty;)+) => {
        impl Control {
            /// Calls a method by its name. Changes are recorded as made by the named author, otherwise by the
            /// face.
            pub(crate) async fn call(&self, face: FaceId, method: &str, params: Value) -> Result<Value, ControlError> {
                audit::by(self.who(face), self.dispatch(face, method, params)).await
            }

            async fn dispatch(&self, face: FaceId, method: &str, params: Value) -> Result<Value, ControlError> {
                match method {
                    // Each on the heap: together they would make every call as large as the largest.
                    $($name => Box::pin(answer::<methods::$marker>(self, face, params)).await,)+
                    _ => Err(ControlError::new(ControlCode::UnknownMethod, format!("there is no method {method:?}"))),
                }
            }
        }
    };
}
with_methods!(dispatch);

impl Control {
    /// Calls a method within the process. What it changes is recorded as by [`Self::call`].
    pub(crate) async fn ask<M: Method>(&self, face: FaceId, params: M::Params) -> super::Answer<M>
    where
        Self: Handle<M>,
    {
        audit::by(self.who(face), <Self as Handle<M>>::handle(self, face, params)).await
    }

    /// Returns the named author, or else the approver's own.
    fn who(&self, face: FaceId) -> Arc<audit::By> {
        audit::current().unwrap_or_else(|| Arc::new(self.parts.faces.who(face)))
    }
}

async fn answer<M: Method>(control: &Control, face: FaceId, params: Value) -> Result<Value, ControlError>
where
    Control: Handle<M>,
{
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let params = serde_json::from_value(params)
        .map_err(|error| ControlError::invalid(format!("{}: {error}", M::NAME)))?;
    let result = <Control as Handle<M>>::handle(control, face, params).await?;
    serde_json::to_value(result).map_err(|error| ControlError::new(ControlCode::Internal, error.to_string()))
}
