import { Component, type ComponentType, type FunctionComponent, h, type JSX, type VNode } from "preact";

/** Returns a component that is drawn again only if one of its props has changed. */
export function memo<Props extends object>(Draw: (props: Props) => JSX.Element): ComponentType<Props> {
  return class extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const now = this.props as Props;
      return (Object.keys(next) as (keyof Props)[]).some((key) => key !== "children" && next[key] !== now[key]);
    }

    override render(props: Props): VNode<object> {
      return h(Draw as FunctionComponent<object>, props);
    }
  };
}
