// From which side three axes are seen: a turntable. It is spun about the third axis and tilted
// towards the reader; parallel projection. At 0, 0 one looks down the third axis, the first to the
// right and the second up.

export class Camera {
  constructor([spin, tilt]) {
    this.spin = [Math.cos(spin), Math.sin(spin)];
    this.tilt = [Math.cos(tilt), Math.sin(tilt)];
  }

  /** [right, up, towards the reader] of a point in space. */
  see([x, y, z = 0]) {
    const [cs, ss] = this.spin, [ct, st] = this.tilt, far = x * ss + y * cs;
    return [x * cs - y * ss, far * ct + z * st, z * ct - far * st];
  }

  /** The step in space that is a step on the screen: the inverse of see, which is a rotation. */
  unsee([right, up, near = 0]) {
    const [cs, ss] = this.spin, [ct, st] = this.tilt, far = up * ct - near * st;
    return [right * cs + far * ss, far * cs - right * ss, up * st + near * ct];
  }
}
