//! From a method's name to its handler. The list stands in the contract: a method without a handler does not compile.

use super::{Handle, HostControl};
use crate::ask::ApproverId;
use postern_contract::methods::{self, ControlCode, ControlError, Method};
use postern_contract::with_methods;
use postern_store::audit;
use serde_json::Value;
use std::sync::Arc;

macro_rules! dispatch {
    ($($(#[$doc:meta])+ $marker:ident $name:literal $field:ident ($params:ty) -> $result:ty;)+) => {
        impl HostControl {
            /// Calls a method by its name. Changes are recorded as made by the named author, otherwise by the
            /// face.
            pub(crate) async fn call_by_name(&self, face: ApproverId, method: &str, params: Value) -> Result<Value, ControlError> {
                audit::with_author(self.audit_author(face), self.dispatch(face, method, params)).await
            }

            async fn dispatch(&self, face: ApproverId, method: &str, params: Value) -> Result<Value, ControlError> {
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

impl HostControl {
    /// Calls a method within the process. What it changes is recorded as by [`Self::call_by_name`].
    pub(crate) async fn call_method<M: Method>(
        &self,
        face: ApproverId,
        params: M::Params,
    ) -> super::MethodResult<M>
    where
        Self: Handle<M>,
    {
        audit::with_author(self.audit_author(face), <Self as Handle<M>>::handle(self, face, params)).await
    }

    /// Returns the named author, or else the approver's own.
    fn audit_author(&self, face: ApproverId) -> Arc<audit::ChangeAuthor> {
        audit::current().unwrap_or_else(|| Arc::new(self.parts.faces.audit_author(face)))
    }
}

async fn answer<M: Method>(
    control: &HostControl,
    face: ApproverId,
    params: Value,
) -> Result<Value, ControlError>
where
    HostControl: Handle<M>,
{
    let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
    let params = serde_json::from_value(params)
        .map_err(|error| ControlError::invalid(format!("{}: {error}", M::NAME)))?;
    let result = <HostControl as Handle<M>>::handle(control, face, params).await?;
    serde_json::to_value(result).map_err(ControlError::internal)
}
